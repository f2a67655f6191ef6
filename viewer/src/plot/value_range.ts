import type { MaybeNumber, PlotDocument } from '../documents';

/** A curve that ends this many times above the others, and rose by as much, has diverged. */
const divergence = 1e6;

/** Of the sizes of a curve's values, this part is smaller than where it began. */
const beginning = 0.1;

/**
 * Which curves diverged, of values in the order of x. The rule has no unit: the size of the last known value of a curve is
 * more than 10⁶ times the median of the largest sizes of the other curves, and more than 10⁶ times its own tenth percentile.
 * A curve that lies high all along, or that falls, has not diverged; nor has one that is alone.
 */
export function divergedCurves(curves: MaybeNumber[][]): boolean[] {
  const sizes = curves.map((values) => values.filter((v) => v !== null && v !== 0).map((v) => Math.abs(v!)).sort((a, b) => a - b));
  const largest = sizes.map((list) => list[list.length - 1]);
  return curves.map((values, index) => {
    const last = Math.abs(lastKnown(values) ?? 0);
    const own = sizes[index]![Math.floor(beginning * sizes[index]!.length)] ?? Infinity;
    const others = largest.filter((size, k): size is number => k !== index && size !== undefined).sort((a, b) => a - b);
    const usual = others[(others.length - 1) >> 1] ?? Infinity;
    return last > divergence * usual && last > divergence * own;
  });
}

function lastKnown(values: MaybeNumber[]): MaybeNumber {
  for (let index = values.length - 1; index >= 0; --index) if (values[index] !== null) return values[index]!;
  return null;
}

/** Where the picture ends so that the curves that did not diverge fill it, and the labels of those that go beyond. */
export interface Clip {
  lowest: number;
  highest: number;
  beyond: { label: string; value: number }[];
}

/** Null: no curve diverged, and the axis shows all values. */
export function clipOf({ series, y }: Pick<PlotDocument, 'series' | 'y'>, curves: MaybeNumber[][]): Clip | null {
  const diverged = divergedCurves(curves);
  if (!diverged.includes(true)) return null;
  let lowest = Infinity;
  let highest = -Infinity;
  curves.forEach((values, index) => {
    if (diverged[index]) return;
    for (const value of values) {
      if (value === null) continue;
      lowest = Math.min(lowest, value);
      highest = Math.max(highest, value);
    }
  });
  if (!(lowest <= highest)) return null;
  // Some room above, in which the curves that go beyond are seen to leave.
  const room = y.log ? 0 : 0.1 * (highest - lowest || Math.abs(highest) || 1);
  const ends = y.log ? { lowest, highest: 10 * highest } : { lowest: lowest - room, highest: highest + room };
  const beyond = series.flatMap(({ label }, index) => {
    if (!diverged[index]) return [];
    const far = curves[index]!.reduce<number>((most, v) => (v !== null && Math.abs(v) > Math.abs(most) ? v : most), 0);
    return [{ label, value: far }];
  });
  return { ...ends, beyond };
}

/** The same values, those outside a clip moved to just outside the picture, so that no line leaves the canvas by millions of pixels. */
export function clipped(values: MaybeNumber[], { lowest, highest }: Clip, log: boolean): MaybeNumber[] {
  const span = highest - lowest;
  const [least, most] = log ? [lowest / 1e3, highest * 1e3] : [lowest - 3 * span, highest + 3 * span];
  return values.map((value) => (value === null ? null : Math.min(Math.max(value, least), most)));
}
