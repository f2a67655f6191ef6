/** Browsers drop the oldest WebGL context without asking once a page has about eight (phones) or sixteen. */
const most = 6;

/** Something that draws with a WebGL context of its own, and can do without until it draws again. */
export interface ContextHolder {
  release(): void;
}

const holders: ContextHolder[] = [];

/** Says that this holder draws now; if too many have a context, the one that drew longest ago gives up its own. */
export function keepContext(holder: ContextHolder): void {
  const at = holders.indexOf(holder);
  if (at >= 0) holders.splice(at, 1);
  holders.push(holder);
  if (holders.length > most) holders.shift()!.release();
}

/** How many more may draw before one gives up its context. */
export function contextsLeft(): number {
  return most - holders.length;
}

/** Whether this browser draws with WebGL 2. */
export function hasWebGl(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}
