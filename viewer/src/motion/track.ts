import type { PackedNumbers } from '../packed';

/** A place between two frames: values are (1 − part)·[frame] + part·[frame + 1]. */
export interface Moment {
  frame: number;
  part: number;
}

/** Where a time lies among increasing times; before the first and after the last it is that one. */
export function momentAt(times: readonly number[], time: number): Moment {
  const last = times.length - 1;
  if (!(time > times[0]!)) return { frame: 0, part: 0 };
  if (time >= times[last]!) return { frame: last, part: 0 };
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle;
    else high = middle;
  }
  return { frame: low, part: (time - times[low]!) / (times[high]! - times[low]!) };
}

/** Numbers that change with time: one row at each of some times, and straight lines between them. */
export class Track {
  /** The row at the time of the last `seek`. */
  readonly values: Float32Array;
  private readonly following: Float32Array;

  constructor(
    readonly times: readonly number[],
    readonly numbers: PackedNumbers,
  ) {
    this.values = new Float32Array(numbers.rowLength);
    this.following = new Float32Array(numbers.rowLength);
  }

  /** Brings `values` to a time and returns them; NaN wherever one of the two rows has it. */
  seek(time: number): Float32Array {
    const { frame, part } = momentAt(this.times, time);
    this.numbers.readRow(frame, this.values);
    if (part === 0) return this.values;
    this.numbers.readRow(frame + 1, this.following);
    for (let i = 0; i < this.values.length; ++i) {
      this.values[i] = (1 - part) * this.values[i]! + part * this.following[i]!;
    }
    return this.values;
  }
}
