import { element, type Child } from './dom';

/** Longer tables of numbers that a picture shows stay folded on paper, which they would fill. */
export const mostRowsOnPaper = 60;

/** What makes the content of a fold that nobody opened yet. */
const waiting = new WeakMap<Element, () => void>();

/** Content that opens when it is asked for, made no sooner; on paper it is open, unless it is only for the screen. */
export function fold(label: string, make: () => Child[], { onPaper = true, kind = '' } = {}): HTMLDetailsElement {
  const made = element('details', { class: kind || null, 'data-on-paper': onPaper }, element('summary', {}, label));
  const fill = () => {
    if (!waiting.delete(made)) return;
    for (const child of make()) if (child !== null && child !== undefined) made.append(child);
  };
  waiting.set(made, fill);
  made.addEventListener('toggle', fill);
  return made;
}

/** Opens the folds of a page before it is printed, and closes afterward those that it opened. */
export function openFoldsOnPaper(page: Document, events: EventTarget): void {
  let opened: HTMLDetailsElement[] = [];
  events.addEventListener('beforeprint', () => {
    opened = [...page.querySelectorAll<HTMLDetailsElement>('details[data-on-paper]:not([open])')];
    for (const each of opened) {
      waiting.get(each)?.(); // at once: the event of opening comes after the page is printed
      each.open = true;
    }
  });
  events.addEventListener('afterprint', () => {
    for (const each of opened) each.open = false;
    opened = [];
  });
}
