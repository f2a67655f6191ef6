import type { MapName } from '../color/maps';
import type { DecodedMotion, Springs } from './decoded_motion';
import type { Track } from './track';

/** What changes with time is computed for every instant; all else is one number for each particle or spring. */
export type ColorSource = Track | 'strain' | Float64Array;

/** One way to color the body: a quantity, and the values of the first and the last color during the whole run. */
export interface Coloring {
  name: string;
  label: string;
  unit: string;
  of: 'particles' | 'springs';
  source: ColorSource;
  lowest: number;
  highest: number;
  map: MapName;
  /** How the range was chosen, and what has no value; empty where that goes without saying. */
  remark: string;
}

/** So many values decide about the range of the strain, spread over the whole run. */
const strainSamples = 200_000;

/** Share of values that change with time that lie outside the colors, at each end: single ones should not take the contrast from all others. */
const tail = 0.01;

/** Everything that this motion can be colored by, the most telling first. */
export function coloringsOf(motion: DecodedMotion): Coloring[] {
  const colorings: Coloring[] = [
    {
      name: 'speed',
      label: 'speed',
      unit: 'm/s',
      of: 'particles',
      source: motion.speed,
      lowest: 0,
      highest: largest(motion.speed),
      map: 'sequential',
      remark: '',
    },
  ];
  if (motion.springs && motion.springs.count > 0) colorings.push(strainColoring(motion.positions, motion.springs));
  for (const { name, label, unit, of, values } of motion.quantities) {
    if (!(values instanceof Float64Array)) {
      colorings.push({ name, label, unit, of, source: values, ...withoutTails(values.numbers.values()) });
      continue;
    }
    const known = values.filter(Number.isFinite);
    const missing = values.length - known.length;
    const [lowest, highest] = extremes(known);
    const remark = missing > 0 && known.length > 0 ? 'gray: has none' : '';
    colorings.push({ name, label, unit, of, source: values, remark, ...centered(lowest, highest) });
  }
  return colorings;
}

function strainColoring(positions: Track, springs: Springs): Coloring {
  const range = withoutTails(sampleStrains(positions, springs));
  return { name: 'strain', label: 'spring strain', unit: '%', of: 'springs', source: 'strain', ...range };
}

/** The range of most values; sorts them. */
function withoutTails(values: Float64Array): Pick<Coloring, 'lowest' | 'highest' | 'map' | 'remark'> {
  values.sort();
  const at = (part: number) => values[Math.round(part * (values.length - 1))] ?? 0;
  return { ...centered(at(tail), at(1 - tail)), remark: 'covers the 1st to 99th percentile' };
}

/** Strains of springs and frames at even distances, in per cent. */
function sampleStrains(positions: Track, springs: Springs): Float64Array {
  const frames = positions.times.length;
  const frameStep = Math.max(1, Math.ceil((frames * springs.count) / strainSamples));
  const springStep = Math.max(1, Math.ceil(springs.count / strainSamples));
  const strains: number[] = [];
  const row = new Float64Array(positions.numbers.rowLength);
  for (let frame = 0; frame < frames; frame += frameStep) {
    positions.numbers.readRow(frame, row);
    for (let spring = 0; spring < springs.count; spring += springStep) {
      const strain = strainOf(row, springs, spring);
      if (Number.isFinite(strain)) strains.push(strain);
    }
  }
  return Float64Array.from(strains);
}

/** 100 (|b|/l₀ − 1), the strain of one spring between particles at these positions, in per cent. */
export function strainOf(positions: ArrayLike<number>, { pairs, restLengths }: Springs, spring: number): number {
  const a = 3 * pairs[2 * spring]!;
  const b = 3 * pairs[2 * spring + 1]!;
  const length = Math.hypot(
    positions[b]! - positions[a]!,
    positions[b + 1]! - positions[a + 1]!,
    positions[b + 2]! - positions[a + 2]!,
  );
  return 100 * (length / restLengths[spring]! - 1);
}

/** Where both signs occur, zero is in the middle and two hues meet there; otherwise the range is that of the values. */
export function centered(lowest: number, highest: number): Pick<Coloring, 'lowest' | 'highest' | 'map'> {
  if (!(lowest < 0 && highest > 0)) return { lowest, highest, map: 'sequential' };
  const reach = Math.max(-lowest, highest);
  return { lowest: -reach, highest: reach, map: 'diverging' };
}

/** Where a value lies between the first (0) and the last color (1); −1: it has none. */
export function toneOf({ lowest, highest }: Coloring, value: number): number {
  if (!Number.isFinite(value)) return -1;
  if (highest <= lowest) return 0.5;
  return Math.min(Math.max((value - lowest) / (highest - lowest), 0), 1);
}

/** Every value is the same, so that a scale of colors would say nothing. */
export function isConstant({ lowest, highest }: Coloring): boolean {
  return !(highest > lowest);
}

function largest(track: Track): number {
  const { numbers } = track;
  let highest = 0;
  for (let i = 0; i < numbers.length; ++i) highest = Math.max(highest, numbers.at(i) || 0);
  return highest;
}

function extremes(values: Float64Array): [number, number] {
  let [lowest, highest] = [Infinity, -Infinity];
  for (const value of values) {
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  return values.length > 0 ? [lowest, highest] : [NaN, NaN];
}
