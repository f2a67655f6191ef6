import type { HeatmapDocument } from '../documents';
import { element, labelWithUnit } from '../dom';
import { commonScale, formatNumber, tidy } from '../format';
import type { HeatmapColumns } from './heatmap_columns';

/** So many names find room beside the highest picture, and about so many numbers below one. */
const mostRowNames = 32;
const mostColumnNumbers = 8;
/** Longer names end in dots. */
const mostLetters = 18;
/** Width of a letter and height of a line, with some room around them, relative to the size of the letters. */
const letterWidth = 0.55;
const lineHeight = 1.25;

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
  const made = element('div', { class: 'row-ticks', 'aria-hidden': true }, ...ticks);
  made.style.width = `min(${nameLength(names)}em, 30vw)`;
  return made;
}

/** Room for the longest name, relative to the size of the letters. */
function nameLength(names: string[]): number {
  return letterWidth * Math.min(Math.max(...names.map((name) => name.length), 2), mostLetters) + 0.8;
}

/** Names below columns stand beside each other, or upright where that is too wide; of too many, some. */
export interface NameLayout {
  upright: boolean;
  /** Every how manyth name is shown. */
  every: number;
}

/** The layout in which no two names overlap, on a width and with a size of letters in pixels. */
export function layNames(names: string[], width: number, letters: number): NameLayout {
  const column = width / names.length;
  const upright = nameLength(names) * letters > column;
  return { upright, every: upright ? Math.max(1, Math.ceil((lineHeight * letters) / column)) : 1 };
}

/** Lays the names anew whenever the page changes its width. */
function keepLaid(made: HTMLElement, names: string[], ticks: HTMLElement[]): void {
  new ResizeObserver(() => {
    if (made.clientWidth === 0) return;
    const { upright, every } = layNames(names, made.clientWidth, parseFloat(getComputedStyle(made).fontSize));
    made.classList.toggle('upright', upright);
    made.style.height = upright ? `${nameLength(names)}em` : '';
    ticks.forEach((tick, index) => (tick.hidden = index % every !== 0));
  }).observe(made);
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
    : (columns.names ?? []).map((text, index, names) => ({ text, fraction: (index + 0.5) / names.length }));
  const shown = ticks.map(({ fraction, text }) => {
    const tick = element('span', { class: 'number', title: text }, text);
    tick.style.left = `${100 * fraction}%`;
    return tick;
  });
  made.append(...shown);
  if (!columns.values) keepLaid(made, columns.names ?? [], shown);
  const label = element('div', { class: 'axis-label' }, labelWithUnit(columns.label, scale.unit));
  return element('div', { class: 'columns' }, made, label);
}

/** Round numbers from first to last: multiples of 1, 2 or 5 times a power of ten. */
export function roundValues(first: number, last: number): number[] {
  const rough = (last - first) / mostColumnNumbers;
  if (!(rough > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9))!;
  const values: number[] = [];
  for (let k = Math.ceil(first / step); k * step <= last; ++k) values.push(tidy(k * step));
  return values;
}
