import type { MaybeNumber, PlotDocument } from '../documents';
import { commonScale, tidy, type Scale } from '../format';
import { extent } from '../number_column';
import { divergedCurves } from './value_range';

/** A plot's numbers in the units of its axes, ready to draw. */
export interface PlotData {
  /** Ascending. */
  x: number[];
  /** As long as x; null: a gap. */
  y: MaybeNumber[][];
  xScale: Scale;
  yScale: Scale;
}

/**
 * Chooses the prefixes of the axes, sorts by x, and leaves out samples without an x; on a logarithmic axis, which keeps
 * its unit, a number that is not positive is none.
 */
export function makePlotData({ x, y, series, bands = [] }: PlotDocument): PlotData {
  const xScale = x.log ? { factor: 1, unit: x.unit } : commonScale(x.values, x.unit);
  const yScale = y.log ? { factor: 1, unit: y.unit } : commonScale([...extents(settled(series)), ...bands.flatMap(({ lower, upper }) => [lower, upper])], y.unit);
  const order = sortedIndices(x.log ? x.values.map((value) => (value !== null && value > 0 ? value : null)) : x.values);
  const column = (values: MaybeNumber[]) =>
    order.map((index) => {
      const value = values[index] ?? null;
      return value === null || (y.log && value <= 0) ? null : scaled(value, yScale);
    });
  return {
    x: order.map((index) => scaled(x.values[index]!, xScale)),
    y: series.map(({ values }) => column(values)),
    xScale,
    yScale,
  };
}

function scaled(value: number, { factor }: Scale): number {
  return factor === 1 ? value : tidy(value * factor);
}

/** The series that the axis is made for. */
function settled(series: PlotDocument['series']): PlotDocument['series'] {
  const diverged = divergedCurves(series.map(({ values }) => values));
  return series.filter((_, index) => !diverged[index]);
}

/** Lowest and highest of each series. */
function extents(series: PlotDocument['series']): number[] {
  return series.flatMap(({ values }) => extent(values));
}

/** Indices of the numbers, ascending by value, equal ones in their order. */
function sortedIndices(values: MaybeNumber[]): number[] {
  const known = values.map((_, index) => index).filter((index) => values[index] !== null);
  const ascending = known.every((index, k) => k === 0 || values[known[k - 1]!]! <= values[index]!);
  return ascending ? known : known.sort((a, b) => values[a]! - values[b]!);
}

/** The index of the number nearest to a value, in ascending numbers; -1 without any. */
export function nearestIndex(ascending: number[], value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= value) low = middle;
    else high = middle;
  }
  if (high < 0) return -1;
  return value - ascending[low]! <= ascending[high]! - value ? low : high;
}
