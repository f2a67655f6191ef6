import type { PlotDocument, SeriesStyle } from '../documents';
import { button, element } from '../dom';
import { formatNumber, type Scale } from '../format';
import type { PlotData } from './plot_data';
import type { Pen } from './plot_options';

/** The legend of a plot: a button for each series that shows or hides it, and its value where the reader looks. */
export interface Legend {
  element: HTMLElement;
  /** Writes the values of a sample; null: none. */
  showValues(index: number | null): void;
  /** Takes the colors of the present theme. */
  recolor(): void;
}

export interface LegendActions {
  show(series: number, visible: boolean): void;
  /** Draws the others faintly; null: none is in focus. */
  focus(series: number | null): void;
}

export function makeLegend(
  { series, bands = [] }: PlotDocument,
  pens: Pen[],
  data: PlotData,
  actions: LegendActions,
): Legend {
  const swatches = series.map(({ style = 'line' }, index) => swatch(style, pens[index]!.dash));
  const values = series.map(() => element('span', { class: 'number legend-value' }));
  const entries = series.map(({ label }, index) => {
    const toggle = button({ 'aria-pressed': 'true', title: 'Show or hide' }, null, () => {
      const visible = toggle.getAttribute('aria-pressed') !== 'true';
      toggle.setAttribute('aria-pressed', String(visible));
      actions.show(index, visible);
    });
    toggle.append(swatches[index]!, element('span', {}, label), values[index]!);
    toggle.addEventListener('pointerenter', () => actions.focus(index));
    toggle.addEventListener('pointerleave', () => actions.focus(null));
    return element('li', {}, toggle);
  });
  entries.push(
    ...bands.map(({ label }, index) => {
      const strip = element('span', { class: 'legend-band', 'aria-hidden': true });
      strip.style.opacity = String(0.13 * (index + 1) + 0.1);
      return element('li', { class: 'legend-strip' }, strip, element('span', {}, label));
    }),
  );
  const recolor = () => swatches.forEach((mark, index) => (mark.style.color = pens[index]!.color()));
  recolor();
  return {
    element: element('ul', { class: 'legend' }, ...entries),
    showValues(index) {
      values.forEach((value, k) => {
        value.textContent = index === null ? '' : valueText(data.y[k]![index] ?? null, data.yScale);
      });
    },
    recolor,
  };
}

function valueText(value: number | null, { unit }: Scale): string {
  return value === null ? '–' : `${formatNumber(value)}${unit === '' ? '' : `\u00a0${unit}`}`;
}

/** A short line, a point or a bar in the color of the text around it. */
function swatch(style: SeriesStyle, dash: number[]): SVGElement {
  const namespace = 'http://www.w3.org/2000/svg';
  const picture = document.createElementNS(namespace, 'svg');
  picture.setAttribute('viewBox', '0 0 22 10');
  picture.setAttribute('aria-hidden', 'true');
  const mark = document.createElementNS(namespace, style === 'points' ? 'circle' : 'path');
  const attributes: Record<string, string> =
    style === 'points'
      ? { cx: '11', cy: '5', r: '3', fill: 'currentColor' }
      : style === 'bars'
        ? { d: 'M4 0H18V10H4Z', fill: 'currentColor', opacity: '0.5' }
        : { d: 'M0 5H22', stroke: 'currentColor', 'stroke-width': '2.5', 'stroke-dasharray': dash.join(' ') };
  for (const [name, value] of Object.entries(attributes)) mark.setAttribute(name, value);
  picture.append(mark);
  return picture;
}
