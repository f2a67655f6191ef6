import type { Theme, ThemeName } from './page';

/** The theme of the page: that of the system until somebody chooses; kept nowhere, so a report always opens the same. */
export function makeTheme(root: HTMLElement): Theme {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const listeners = new Set<() => void>();
  let name: ThemeName = system.matches ? 'dark' : 'light';
  let chosen = false;
  const apply = (next: ThemeName) => {
    root.dataset.theme = next;
    if (next === name) return;
    name = next;
    for (const listener of [...listeners]) listener();
  };
  root.dataset.theme = name;
  let afterPrinting: ThemeName | null = null;
  system.addEventListener('change', () => {
    if (chosen) return;
    const wanted = system.matches ? 'dark' : 'light';
    if (afterPrinting) afterPrinting = wanted;
    else apply(wanted);
  });
  addEventListener('beforeprint', () => {
    afterPrinting ??= name;
    apply('light');
  });
  addEventListener('afterprint', () => {
    const wanted = afterPrinting;
    afterPrinting = null;
    if (wanted) apply(wanted);
  });
  return {
    get name() {
      return name;
    },
    set(next) {
      chosen = true;
      apply(next);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
