import { element } from '../dom';
import type { Coloring } from './coloring';

/** Which coloring is shown; everyone who subscribed is told of another. */
export class ColorChoice {
  private shown: Coloring;
  private readonly listeners: ((coloring: Coloring) => void)[] = [];

  /** The first coloring is shown first. */
  constructor(readonly colorings: readonly Coloring[]) {
    this.shown = colorings[0]!;
  }

  get current(): Coloring {
    return this.shown;
  }

  /** Throws an Error that lists the names if there is none of this name. */
  choose(name: string): void {
    const wanted = this.colorings.find((coloring) => coloring.name === name);
    if (!wanted) throw new Error(`no coloring "${name}"; there are ${this.colorings.map((c) => c.name).join(', ')}`);
    this.shown = wanted;
    for (const listener of this.listeners) listener(wanted);
  }

  /** Calls the listener now and at every other choice. */
  subscribe(listener: (coloring: Coloring) => void): void {
    this.listeners.push(listener);
    listener(this.shown);
  }
}

/** The list "Color by". */
export function colorSelect(choice: ColorChoice): HTMLElement {
  const options = choice.colorings.map(({ name, label }) => element('option', { value: name }, label));
  const select = element('select', {}, ...options);
  select.addEventListener('change', () => choice.choose(select.value));
  choice.subscribe(({ name }) => (select.value = name));
  return element('label', { class: 'motion-field' }, 'Color by', select);
}
