import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Band, PlotDocument } from '../documents';
import { button, element, labelWithUnit } from '../dom';
import { formatNumber, formatQuantity, type Scale } from '../format';
import { extent } from '../number_column';
import { addOverlay } from '../overlay';
import type { Display, Page } from '../page';
import { controlClock } from '../time_control';
import { makeLegend } from './legend';
import { makePlotData, nearestIndex } from './plot_data';
import { plotOptions, makePen, sideRoom, styleColor } from './plot_options';
import { plotTable } from './plot_table';
import { clipOf, clipped, type Clip } from './value_range';
import './plot.css';

/** A line below a plot names at most so many curves. */
const mostNamed = 4;

/** Curves over one axis: drag to zoom, double-click or a button to see all again. */
export const plot: Display<PlotDocument> = (host, content, page) => {
  drawPlot(host, content, page);
};

/** The same; the returned function ends all its listening, before its host is emptied. */
export function drawPlot(host: HTMLElement, content: PlotDocument, page: Page): () => void {
  const data = makePlotData(content);
  if (!data.y.some((values) => values.some((value) => value !== null))) {
    const what = content.y.log ? 'positive values' : 'values';
    host.append(element('p', { class: 'note' }, `There are no ${what} to draw.`));
    return () => {};
  }
  const time = content.time === true;
  if (time) page.clock.extend(data.x[0]! / data.xScale.factor, data.x[data.x.length - 1]! / data.xScale.factor);
  const found = clipOf(content, data.y);
  let clip = found;
  const drawn = (): uPlot.AlignedData => [
    data.x,
    ...(clip ? data.y.map((values) => clipped(values, clip!, content.y.log === true)) : data.y),
  ];
  const pens = content.series.map(({ style = 'line', color }, index) => makePen(color ?? index, style, page.theme));
  const canvasHost = element('div', { class: 'plot-canvas' });
  const room = sideRoom(content, data.x);
  const edges = { min: data.x[0]! - room, max: data.x[data.x.length - 1]! + room };
  const reset = button({ class: 'reset', hidden: true }, 'Show all', () => chart.setScale('x', edges));
  host.append(
    element('div', { class: 'plot-head' }, axisLabel(content.y.label, data.yScale.unit), reset),
    canvasHost,
    element('div', { class: 'plot-foot' }, axisLabel(content.x.label, data.xScale.unit)),
  );

  const sampleAtClock = () => (time ? nearestIndex(data.x, page.clock.time * data.xScale.factor) : null);
  const onScale = (self: uPlot) => {
    const { min = 0, max = 1 } = self.scales.x as { min?: number; max?: number };
    overlay?.place((value) => (value * data.xScale.factor - min) / (max - min));
    reset.hidden = min <= edges.min && max >= edges.max;
  };
  let overlay: ReturnType<typeof addOverlay> | null = null;
  const chart = new uPlot(
    plotOptions(content, pens, host, { yScale: data.yScale, edges, clip: () => clip }, {
      drawClear: [(self) => drawBands(self, content.bands ?? [], data.yScale.factor)],
      setScale: [(self, key) => key === 'x' && onScale(self)],
      setCursor: [(self) => legend.showValues(self.cursor.idx ?? sampleAtClock())],
    }),
    drawn(),
    canvasHost,
  );
  const legend = makeLegend(content, pens, data, {
    show: (series, visible) => chart.setSeries(series + 1, { show: visible }),
    focus: (series) => chart.setSeries(series === null ? null : series + 1, { focus: true }),
  });
  overlay = addOverlay(chart.over, content.marks ?? [], time);
  onScale(chart);
  const clipNote = found
    ? clipElement(found, data.yScale, (whole) => {
        clip = whole ? null : found;
        chart.setData(drawn());
      })
    : null;
  host.append(...(clipNote ? [clipNote] : []), legend.element, plotTable(content));
  describe(chart, content);
  const endings = [
    page.theme.subscribe(() => {
      legend.recolor();
      chart.redraw(false);
    }),
    keepSize(canvasHost, chart),
  ];
  if (time) {
    const onTime = (now: number) => {
      overlay.setTime(now);
      legend.showValues(sampleAtClock());
    };
    endings.push(...followClock(page, chart, data.xScale.factor, content.title, onTime));
  }
  return () => {
    for (const end of endings) end();
    chart.destroy();
  };
}

/** Says which curves leave the picture and how far they go, and shows them whole when asked. */
function clipElement({ beyond }: Clip, { unit }: Scale, show: (whole: boolean) => void): HTMLElement {
  const far = (value: number) => `${formatNumber(value, 2)}${unit === '' ? '' : `\u00a0${unit}`}`;
  const named = beyond.slice(0, mostNamed).map(({ label, value }) => `${label} (to ${far(value)})`);
  if (beyond.length > mostNamed) named.push(`${beyond.length - mostNamed} more`);
  const words = `Clipped at the edge of the plot, because ${beyond.length === 1 ? 'it diverges' : 'they diverge'}: ${named.join(', ')}. `;
  let whole = false;
  const toggle = button({ class: 'reset' }, 'Show in full', () => {
    whole = !whole;
    toggle.textContent = whole ? 'Clip again' : 'Show in full';
    show(whole);
  });
  return element('p', { class: 'plot-clip note' }, words, toggle);
}

/** Strips behind everything; where several lie over one another they grow darker. */
function drawBands(chart: uPlot, bands: Band[], factor: number): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = styleColor('--accent');
  ctx.globalAlpha = 0.13;
  for (const { lower, upper } of bands) {
    if (lower === null || upper === null) continue;
    const top = Math.max(chart.valToPos(upper * factor, 'y', true), bbox.top);
    const bottom = Math.min(chart.valToPos(lower * factor, 'y', true), bbox.top + bbox.height);
    if (bottom > top) ctx.fillRect(bbox.left, top, bbox.width, bottom - top);
  }
  ctx.restore();
}

function axisLabel(label: string, unit: string): HTMLElement {
  return element('span', { class: 'axis-label' }, labelWithUnit(label, unit));
}

/** Clicks set the clock, and the clock moves the line of the present. */
function followClock(
  page: Page,
  chart: uPlot,
  factor: number,
  title: string,
  onTime: (now: number) => void,
): (() => void)[] {
  const control = controlClock(chart.over, page.clock, `Time in ${title}`, (fraction) => {
    const { min = 0, max = 0 } = chart.scales.x as { min?: number; max?: number };
    return (min + fraction * (max - min)) / factor;
  });
  return [control, page.clock.subscribe(onTime)];
}

/** What the picture shows, for those who cannot see it. */
function describe(chart: uPlot, { x, y, series, bands = [] }: PlotDocument): void {
  const curves = series.map(({ label, values }) => {
    const [lowest, highest] = extent(values);
    if (lowest === undefined || highest === undefined) return `${label}: no values`;
    return `${label} from ${formatQuantity(lowest, y.unit)} to ${formatQuantity(highest, y.unit)}`;
  });
  for (const { label, lower, upper } of bands) {
    if (lower === null || upper === null) continue;
    curves.push(`band ${label} from ${formatQuantity(lower, y.unit)} to ${formatQuantity(upper, y.unit)}`);
  }
  const canvas = chart.ctx.canvas;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `${y.label} over ${x.label}. ${curves.join('; ')}.`);
}

/** Fits between the margins of A4 and of Letter (frame.css) [px]. */
const paperWidth = 660;

/** As wide as its host, and between a third and two thirds as high as wide. */
function keepSize(host: HTMLElement, chart: uPlot): () => void {
  const fit = () => {
    const width = host.clientWidth;
    if (width > 0) chart.setSize({ width, height: Math.round(Math.min(Math.max(width * 0.4, 220), 360)) });
  };
  fit();
  const observer = new ResizeObserver(fit);
  observer.observe(host);
  const toPaper = () => chart.setSize({ width: paperWidth, height: Math.round(0.4 * paperWidth) });
  addEventListener('beforeprint', toPaper);
  addEventListener('afterprint', fit);
  return () => {
    observer.disconnect();
    removeEventListener('beforeprint', toPaper);
    removeEventListener('afterprint', fit);
  };
}
