import { element } from '../dom';
import type { Colouring } from './colouring';

/** Which colouring is shown; everyone who subscribed is told of another. */
export class ColourChoice {
  private shown: Colouring;
  private readonly listeners: ((colouring: Colouring) => void)[] = [];

  /** The first colouring is shown first. */
  constructor(readonly colourings: readonly Colouring[]) {
    this.shown = colourings[0]!;
  }

  get current(): Colouring {
    return this.shown;
  }

  /** Throws an Error that lists the names if there is none of this name. */
  choose(name: string): void {
    const wanted = this.colourings.find((colouring) => colouring.name === name);
    if (!wanted) throw new Error(`no colouring "${name}"; there are ${this.colourings.map((c) => c.name).join(', ')}`);
    this.shown = wanted;
    for (const listener of this.listeners) listener(wanted);
  }

  /** Calls the listener now and at every other choice. */
  subscribe(listener: (colouring: Colouring) => void): void {
    this.listeners.push(listener);
    listener(this.shown);
  }
}

/** The list "Colour by". */
export function colourSelect(choice: ColourChoice): HTMLElement {
  const options = choice.colourings.map(({ name, label }) => element('option', { value: name }, label));
  const select = element('select', {}, ...options);
  select.addEventListener('change', () => choice.choose(select.value));
  choice.subscribe(({ name }) => (select.value = name));
  return element('label', { class: 'motion-field' }, 'Colour by', select);
}
