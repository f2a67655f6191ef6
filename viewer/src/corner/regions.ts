import type { MaybeNumber } from '../documents';

export type Point = [number, number];

/**
 * The curve on which two normal variables lie at one Mahalanobis distance `radius` from their means:
 * (x, y) = means + radius (σ_x cos φ, σ_y (ρ cos φ + √(1 − ρ²) sin φ)).
 */
export function ellipse(mean: Point, deviation: Point, correlation: number, radius: number, points = 73): Point[] {
  const across = Math.sqrt(Math.max(0, 1 - correlation * correlation));
  return Array.from({ length: points }, (_, k) => {
    const angle = (2 * Math.PI * k) / (points - 1);
    return [
      mean[0] + radius * deviation[0] * Math.cos(angle),
      mean[1] + radius * deviation[1] * (correlation * Math.cos(angle) + across * Math.sin(angle)),
    ];
  });
}

/** Round numbers within an interval, at most `most` of them, and their distance. */
export function niceTicks([low, high]: Point, most: number): { ticks: number[]; spacing: number } {
  const least = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const spacing = ([1, 2, 5, 10].find((step) => step * power >= least * (1 - 1e-9)) ?? 10) * power;
  const ticks: number[] = [];
  for (let k = Math.ceil(low / spacing - 1e-9); k * spacing <= high + 1e-9 * spacing; ++k) ticks.push(k * spacing);
  return { ticks, spacing };
}

/** An interval that holds these numbers, with a tenth of itself to spare on each side. */
export function intervalOf(values: MaybeNumber[]): Point {
  const known = values.filter((value) => value !== null);
  const low = Math.min(...known);
  const high = Math.max(...known);
  const room = 0.1 * (high - low) || 0.1 * Math.abs(high) || 1;
  return [low - room, high + room];
}
