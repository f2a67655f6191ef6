import type { HeatmapDocument } from '../documents';
import { exactQuantity, formatQuantity } from '../format';

/** Where the columns of a heat map lie on its width, from 0 at its left edge to 1 at its right. */
export interface HeatmapColumns {
  count: number;
  /** All columns are equally wide. */
  even: boolean;
  /** The column at a place. */
  at(fraction: number): number;
  /** The place of a value of the horizontal axis, between 0 and 1 for those within. */
  toFraction(value: number): number;
  /** The value at a place. */
  toValue(fraction: number): number;
  label(column: number): string;
}

/** Columns with values lie at them, each as wide as halfway to its neighbors; those with names are equally wide. */
export function heatmapColumns({ columns, values }: HeatmapDocument): HeatmapColumns {
  const count = columns.values?.length ?? columns.names?.length ?? values[0]?.length ?? 0;
  const centers = columns.values ?? Array.from({ length: count }, (_, index) => index);
  const edges = edgesOf(centers);
  const first = edges[0] ?? 0;
  const span = (edges[count] ?? 1) - first || 1;
  const widths = centers.map((_, index) => edges[index + 1]! - edges[index]!);
  const even = widths.every((width) => Math.abs(width * count - span) < 1e-3 * span);
  const toValue = (fraction: number) => first + fraction * span;
  return {
    count,
    even,
    toValue,
    toFraction: (value) => (value - first) / span,
    at(fraction) {
      if (even) return Math.min(Math.max(Math.floor(fraction * count), 0), count - 1);
      const value = toValue(fraction);
      let low = 0;
      let high = count - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (edges[middle]! <= value) low = middle;
        else high = middle - 1;
      }
      return low;
    },
    label: (column) => {
      const value = columns.values?.[column];
      if (value !== undefined) return columns.unit ? formatQuantity(value, columns.unit) : exactQuantity(value);
      return columns.names?.[column] ?? String(column);
    },
  };
}

/** The edges between ascending centers, and the outer two, as far out as the nearest inner one is in. */
function edgesOf(centers: number[]): number[] {
  const count = centers.length;
  if (count === 0) return [];
  if (count === 1) return [centers[0]! - 0.5, centers[0]! + 0.5];
  const inner = centers.slice(1).map((center, index) => (centers[index]! + center) / 2);
  return [2 * centers[0]! - inner[0]!, ...inner, 2 * centers[count - 1]! - inner[count - 2]!];
}
