import { cssGradient } from '../color/maps';
import type { HeatmapDocument } from '../documents';
import { element } from '../dom';
import { valueElement } from '../value';
import type { Coloring } from './coloring';

/** The legend of a heat map: what its colors are, from the lowest to the highest value, and how many maps have the same. */
export function colorBar(
  { title, unit }: HeatmapDocument,
  { map, lowest, highest, missing }: Coloring,
  maps = 1,
): HTMLElement {
  const bar = element('span', { class: 'bar', 'aria-hidden': true });
  bar.style.background = cssGradient(map);
  const made = element(
    'p',
    { class: 'color-bar' },
    element('span', { class: 'color-bar-label' }, title.split(':')[0]),
    valueElement('span', lowest, unit),
    bar,
    valueElement('span', highest, unit),
  );
  if (missing) {
    const swatch = element('span', { class: 'swatch missing', 'aria-hidden': true });
    made.append(element('span', { class: 'missing-label' }, swatch, 'missing'));
  }
  if (maps > 1) made.append(element('span', { class: 'color-bar-shared' }, `the same colors in ${maps} maps`));
  return made;
}
