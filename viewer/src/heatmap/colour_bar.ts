import { cssGradient } from '../colour/maps';
import type { HeatmapDocument } from '../documents';
import { element } from '../dom';
import { valueElement } from '../value';
import type { Colouring } from './colouring';

/** The legend of a heat map: its colours from the lowest to the highest value. */
export function colourBar({ unit }: HeatmapDocument, { map, lowest, highest, missing }: Colouring): HTMLElement {
  const bar = element('span', { class: 'bar', 'aria-hidden': true });
  bar.style.background = cssGradient(map);
  const made = element(
    'p',
    { class: 'colour-bar' },
    valueElement('span', lowest, unit),
    bar,
    valueElement('span', highest, unit),
  );
  if (missing) {
    const swatch = element('span', { class: 'swatch missing', 'aria-hidden': true });
    made.append(element('span', { class: 'missing-label' }, swatch, 'missing'));
  }
  return made;
}
