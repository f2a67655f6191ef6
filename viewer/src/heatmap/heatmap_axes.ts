import type { HeatmapDocument } from '../documents';
import { element, labelWithUnit } from '../dom';
import { commonScale, formatNumber, tidy } from '../format';
import type { HeatmapColumns } from './heatmap_columns';

/** About so many names or numbers find room beside a picture. */
const mostRowNames = 24;
const mostColumnNames = 8;

/** Names of rows at their height; of many rows, some. */
export function rowTicks(names: string[]): HTMLElement {
  const every = Math.ceil(names.length / mostRowNames);
  const ticks = names
    .map((name, index) => ({ name, index }))
    .filter(({ index }) => index % every === 0)
    .map(({ name, index }) => {
      const tick = element('span', { title: name }, name);
      tick.style.top = `${(100 * (index + 0.5)) / names.length}%`;
      return tick;
    });
  const widest = Math.min(Math.max(...names.map((name) => name.length), 2), 18);
  const made = element('div', { class: 'row-ticks', 'aria-hidden': true }, ...ticks);
  made.style.width = `${0.55 * widest + 0.8}em`;
  return made;
}

/** Numbers or names below the columns, and what they are. */
export function columnTicks({ columns }: HeatmapDocument, places: HeatmapColumns): HTMLElement {
  const made = element('div', { class: 'column-ticks', 'aria-hidden': true });
  const scale = commonScale(columns.values ?? [], columns.unit ?? '');
  const ticks = columns.values
    ? roundValues(places.toValue(0) * scale.factor, places.toValue(1) * scale.factor).map((value) => ({
        fraction: places.toFraction(value / scale.factor),
        text: formatNumber(value),
      }))
    : someNames(columns.names ?? []);
  for (const { fraction, text } of ticks) {
    const tick = element('span', { class: 'number' }, text);
    tick.style.left = `${100 * fraction}%`;
    made.append(tick);
  }
  const label = element('div', { class: 'axis-label' }, labelWithUnit(columns.label, scale.unit));
  return element('div', { class: 'columns' }, made, label);
}

function someNames(names: string[]): { fraction: number; text: string }[] {
  const every = Math.ceil(names.length / mostColumnNames);
  return names
    .map((text, index) => ({ text, fraction: (index + 0.5) / names.length }))
    .filter((_, index) => index % every === 0);
}

/** Round numbers from first to last: multiples of 1, 2 or 5 times a power of ten. */
export function roundValues(first: number, last: number): number[] {
  const rough = (last - first) / mostColumnNames;
  if (!(rough > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9))!;
  const values: number[] = [];
  for (let k = Math.ceil(first / step); k * step <= last; ++k) values.push(tidy(k * step));
  return values;
}
