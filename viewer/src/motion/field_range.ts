/** So many powers of ten of the field strength are told apart by length and color. */
const decades = 3;

/** Strengths of the first and the last color of the arrows [V/m]. */
export interface FieldRange {
  lowest: number;
  highest: number;
}

/** Three powers of ten below all but the strongest hundredth of the arrows, which stand next to charges. */
export function fieldRange(strengths: ArrayLike<number>): FieldRange {
  const known = Float64Array.from(strengths).filter((strength) => Number.isFinite(strength) && strength > 0).sort();
  const highest = known[Math.round(0.99 * (known.length - 1))] ?? 0;
  return { lowest: highest / 10 ** decades, highest };
}

/** Where a strength lies on the logarithmic scale of the range, from 0 to 1. */
export function fieldTone({ lowest, highest }: FieldRange, strength: number): number {
  if (!(strength > 0) || !(highest > 0)) return 0;
  return Math.min(Math.max(Math.log10(strength / lowest) / decades, 0), 1);
}
