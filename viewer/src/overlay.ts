import type { Mark } from './documents';
import { element } from './dom';
import './overlay.css';

/** Vertical lines over a picture: the marks of a document and the present time. */
export interface Overlay {
  /** Moves every line to where its value is: 0 is the left edge of the picture, 1 the right; outside it is hidden. */
  place(toFraction: (value: number) => number): void;
  /** Moves the line of the present time. */
  setTime(time: number): void;
}

/** Adds the lines to a positioned host; without `time`, none for the present. */
export function addOverlay(host: HTMLElement, marks: Mark[], time: boolean): Overlay {
  const lines = marks.map(({ label }, index) => {
    const line = element('div', { class: 'mark' }, element('span', {}, label));
    line.style.setProperty('--row', String(index % 3));
    return line;
  });
  const now = element('div', { class: 'now', 'aria-hidden': true });
  let toFraction = (_value: number) => NaN;
  let present = NaN;
  const move = (line: HTMLElement, value: number) => {
    const fraction = toFraction(value);
    line.hidden = !(fraction >= -1e-9 && fraction <= 1 + 1e-9);
    line.style.left = `${100 * fraction}%`;
    line.classList.toggle('near-end', fraction > 0.5);
  };
  host.append(...lines);
  if (time) host.append(now);
  return {
    place(next) {
      toFraction = next;
      lines.forEach((line, index) => move(line, marks[index]!.at));
      move(now, present);
    },
    setTime(next) {
      present = next;
      move(now, present);
    },
  };
}
