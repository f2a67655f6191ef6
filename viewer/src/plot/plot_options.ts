import uPlot from 'uplot';
import { categoryColor, categoryCount } from '../color/maps';
import type { Band, PlotDocument, SeriesStyle } from '../documents';
import { formatFixed, formatNumber, formatPower, type Scale } from '../format';
import type { Theme } from '../page';
import { logTicks } from './log_ticks';
import type { Clip } from './value_range';

/** How a series is drawn: its color and, beyond the colors that can be told apart, the pattern of its line. */
export interface Pen {
  color(): string;
  dash: number[];
}

/** Patterns for the first, second and third seven series. */
const patterns = [[], [2, 3], [9, 3, 2, 3]];

export function makePen(index: number, style: SeriesStyle, theme: Theme): Pen {
  const pattern = patterns[Math.floor(index / categoryCount) % patterns.length]!;
  return { color: () => categoryColor(index, theme.name), dash: style === 'dashed' ? [6, 4] : pattern };
}

/** Up to this many samples a line also shows each of them as a point. */
const fewSamples = 40;

/** Beyond this many samples points are smaller, so that they do not hide one another. */
const manySamples = 250;

const hasPoints = (style?: SeriesStyle) => style === 'points' || style === 'joined';

function seriesOptions(pen: Pen, style: SeriesStyle, label: string, samples: number, alone: boolean): uPlot.Series {
  const options: uPlot.Series = {
    label,
    stroke: pen.color,
    width: 1.75,
    dash: pen.dash,
    points: {
      show: hasPoints(style) || (alone && samples <= fewSamples),
      size: samples > manySamples ? 3.5 : hasPoints(style) && samples <= fewSamples ? 7 : 5,
      fill: pen.color,
      stroke: pen.color,
    },
  };
  if (style === 'points') options.paths = () => null;
  if (style === 'joined') options.spanGaps = true;
  if (style === 'steps') options.paths = uPlot.paths.stepped!({ align: 1 });
  if (style === 'bars') {
    options.paths = uPlot.paths.bars!({ size: [1, Infinity], align: 0 });
    options.fill = () => `${pen.color()}66`; // the colors are #rrggbb
    options.width = 1;
  }
  return options;
}

/** The range of what is visible and of the strips, within a clip. */
function verticalRange(bands: Band[], { factor }: Scale, log: boolean, clip: () => Clip | null): uPlot.Range.Function {
  const ends = bands
    .flatMap(({ lower, upper }) => [lower, upper])
    .filter((end) => end !== null)
    .map((end) => end * factor)
    .filter((end) => !log || end > 0);
  return (_plot, least: number | null, most: number | null) => {
    const now = clip();
    let lowest = Math.min(least ?? Infinity, ...ends);
    let highest = Math.max(most ?? -Infinity, ...ends);
    if (!(lowest <= highest)) return log ? [1, 10] : [0, 1];
    if (now) {
      lowest = Math.min(Math.max(lowest, now.lowest), now.highest);
      highest = Math.min(Math.max(highest, now.lowest), now.highest);
    }
    return log ? uPlot.rangeLog(lowest, highest, 10, false) : uPlot.rangeNum(lowest, highest, 0.1, true);
  };
}

/** A color of the page's style sheet, as it is in the present theme. */
export function styleColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Labels of evenly spaced ticks: all with the digits that the spacing needs. */
export function linearLabels(ticks: number[], spacing: number): string[] {
  const largest = Math.max(...ticks.map(Math.abs));
  const decimals = [0, 1, 2, 3, 4, 5, 6, 7, 8].find((d) => Math.abs(Number(spacing.toFixed(d)) / spacing - 1) < 1e-6);
  if (decimals !== undefined && largest < 1e6 && (decimals <= 4 || largest >= 1)) {
    return ticks.map((tick) => formatFixed(tick, decimals));
  }
  const digits = Math.ceil(Math.log10(largest / spacing)) + 2;
  return ticks.map((tick) => formatNumber(Math.abs(tick) < 1e-6 * spacing ? 0 : Number(tick.toPrecision(digits)), digits));
}

/**
 * Labels of a logarithmic axis, all as numbers or, where one of them would be long, all as powers of ten; ticks that would
 * be too close (null) have none.
 */
export function logLabels(ticks: (number | null)[]): string[] {
  const shown = ticks.filter((tick) => tick !== null);
  const short = shown.every((tick) => tick > 0.99e-3 && tick < 1.01e5);
  return ticks.map((tick) => {
    if (tick === null) return '';
    return short ? formatNumber(tick, 2) : formatPower(tick, 1).replace(/^1×/, '');
  });
}

const logScale = (log = false): uPlot.Scale => (log ? { distr: 3, log: 10 } : {});

/** A logarithmic axis; a label takes so many pixels of it. */
function logAxis(side: 'width' | 'height', pixels: number): uPlot.Axis {
  const found = (plot: uPlot, lowest: number, highest: number) =>
    logTicks(lowest, highest, plot.bbox[side] / devicePixelRatio / pixels);
  const scale = side === 'width' ? 'x' : 'y';
  return {
    splits: (plot, _axis, lowest, highest) => found(plot, lowest, highest).ticks,
    filter: (plot) => found(plot, plot.scales[scale]!.min!, plot.scales[scale]!.max!).labeled,
    values: (_plot, ticks: (number | null)[]) => logLabels(ticks),
  };
}

/** Of more samples than this the pointer does not bring the nearest curve to the fore: every move would draw them all. */
const mostFocused = 100_000;

/** How much room beyond the first and the last number of the horizontal axis points and bars need. */
export function sideRoom({ x, series, time }: PlotDocument, ascending: number[]): number {
  const span = ascending[ascending.length - 1]! - ascending[0]!;
  if (x.log || time) return 0;
  if (series.some(({ style }) => style === 'bars')) return span / (2 * Math.max(1, ascending.length - 1));
  if (!series.some(({ style }) => hasPoints(style))) return 0;
  return span > 0 ? 0.03 * span : 0.5;
}

/** An axis whose numbers have names: as many of them as there is room for. */
function namedAxis({ values, names = [] }: PlotDocument['x']): uPlot.Axis {
  const longest = Math.max(...names.map((name) => name.length));
  const at = new Map(values.map((value, index) => [value, names[index] ?? '']));
  return { incrs: wholeSteps, space: 7 * Math.min(longest, 24) + 12, values: (_plot, ticks) => ticks.map((tick) => shorten(at.get(tick) ?? '')) };
}

const shorten = (name: string) => (name.length > 24 ? `${name.slice(0, 23)}…` : name);

/** Distances between ticks of an axis that counts. */
const wholeSteps = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((k) => k * 10 ** power)).flat();

/** Options of uPlot for a document; the host gives the font. */
export function plotOptions(
  content: PlotDocument,
  pens: Pen[],
  host: HTMLElement,
  { yScale, edges, clip }: { yScale: Scale; edges: { min: number; max: number }; clip: () => Clip | null },
  hooks: uPlot.Hooks.Arrays,
): uPlot.Options {
  const font = `12px ${getComputedStyle(host).fontFamily}`;
  const axis: uPlot.Axis = {
    font,
    stroke: () => styleColor('--ink-soft'),
    grid: { stroke: () => styleColor('--line'), width: 1 },
    ticks: { stroke: () => styleColor('--line'), width: 1, size: 5 },
    values: (_plot, ticks, _axis, _space, spacing) => linearLabels(ticks, spacing),
  };
  const samples = content.x.values.length;
  const several = content.series.length > 1 && samples * content.series.length <= mostFocused;
  const { bands = [] } = content;
  const alone = !content.series.some(({ style }) => hasPoints(style) || style === 'bars');
  const counts = content.x.unit === '' && content.x.values.every((value) => Number.isInteger(value));
  return {
    width: 600,
    height: 320,
    padding: [10, 14, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, ...logScale(content.x.log), ...(content.x.log || content.time ? {} : { range: () => [edges.min, edges.max] }) },
      y: { ...logScale(content.y.log), range: verticalRange(bands, yScale, content.y.log === true, clip) },
    },
    axes: [
      {
        ...axis,
        size: 32,
        ...(content.x.names ? namedAxis(content.x) : content.x.log ? logAxis('width', 44) : counts ? { incrs: wholeSteps } : {}),
      },
      {
        ...axis,
        size: (_plot, labels) => 18 + 7 * Math.max(3, ...(labels ?? []).map((label) => label.length)),
        ...(content.y.log ? logAxis('height', 26) : {}),
      },
    ],
    series: [
      {},
      ...content.series.map(({ label, style = 'line' }, index) => seriesOptions(pens[index]!, style, label, samples, alone)),
    ],
    focus: { alpha: 0.25 },
    cursor: { y: false, focus: { prox: several ? 16 : -1 }, drag: { x: true, y: false, dist: 4 } },
    hooks,
  };
}
