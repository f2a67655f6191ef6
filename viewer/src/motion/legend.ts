import { cssGradient, cssColor, sampleMap } from '../color/maps';
import { element } from '../dom';
import { formatQuantity } from '../format';
import { valueAttributes } from '../value';
import { isConstant, type Coloring } from './coloring';

/** A bar of colors with what it stands for: name, ends with unit, and remark; a single swatch where all values are the same. */
export function colorLegend(coloring: Coloring): HTMLElement {
  const { label, unit, lowest, highest, map, remark } = coloring;
  const box = element('div', { class: 'motion-legend' }, element('div', { class: 'motion-legend-label' }, label));
  if (Number.isNaN(lowest)) return withRemark(box, 'no values');
  if (isConstant(coloring)) {
    const swatch = element('span', { class: 'motion-swatch' });
    swatch.style.background = cssColor(sampleMap(map, 0.5));
    box.append(element('div', { class: 'motion-legend-single' }, swatch, valueElement(lowest, unit), 'everywhere'));
    return withRemark(box, remark);
  }
  const ends = map === 'diverging' ? [lowest, 0, highest] : [lowest, highest];
  box.append(scaleBar(cssGradient(map), ends.map((value) => valueElement(value, unit))));
  return withRemark(box, remark);
}

/** The same for a quantity over powers of ten. */
export function logarithmicLegend(label: string, unit: string, lowest: number, highest: number): HTMLElement {
  const box = element('div', { class: 'motion-legend' }, element('div', { class: 'motion-legend-label' }, label));
  if (!(highest > 0)) return withRemark(box, 'zero everywhere');
  const ends = [lowest, highest].map((value) => valueElement(value, unit));
  ends[0]!.prepend('≤ ');
  ends[1]!.prepend('≥ ');
  box.append(scaleBar(cssGradient('sequential'), ends));
  return withRemark(box, 'length and color: logarithm of the strength');
}

/** What a sign in the picture means. */
export function signLegend(sign: string, meaning: string, className: string): HTMLElement {
  const mark = element('span', { class: `motion-sign ${className}`, 'aria-hidden': 'true' }, sign);
  return element('li', {}, mark, meaning);
}

/** A number with three digits; the exact one on hover. */
function valueElement(value: number, unit: string): HTMLElement {
  return element('span', valueAttributes(value, unit), value === 0 ? '0' : formatQuantity(value, unit, 3));
}

function scaleBar(gradient: string, labels: HTMLElement[]): HTMLElement {
  const bar = element('div', { class: 'motion-color-bar' });
  bar.style.background = gradient;
  const ends = element('div', { class: 'motion-legend-ends' }, ...labels);
  return element('div', {}, bar, ends);
}

function withRemark(box: HTMLElement, remark: string): HTMLElement {
  if (remark !== '') box.append(element('div', { class: 'motion-legend-remark' }, remark));
  return box;
}
