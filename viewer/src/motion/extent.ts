import { Vector3 } from 'three';
import type { Obstacle } from '../documents';
import type { DecodedMotion } from './decoded_motion';

/** So many intervals between frames that are looked at tell where a motion goes. */
const mostIntervals = 48;

/** Of many particles fewer frames are looked at, so that about so many positions are read, but at least the first, one between and the last. */
const positionsLookedAt = 3_000_000;

/** Directions in which the outermost points are looked for: edges, faces and corners of a cube, one of each opposite pair. */
const directions = [-1, 0, 1]
  .flatMap((x) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z) => new Vector3(x, y, z))))
  .slice(0, 13);

/** A point charge this many sizes of the body away would make the body a dot, so the view does not wait for it. */
const farAway = 2;

/** Points that a view of the whole run should hold: the outermost particles, near point charges and near obstacles, at times spread over the run. */
export function pointsOfRun(motion: DecodedMotion): Vector3[] {
  const points: Vector3[] = [];
  const charges: Vector3[] = [];
  const frames = motion.times.length;
  const row = new Float64Array(3 * motion.particleCount);
  const intervals = Math.min(mostIntervals, Math.max(2, Math.floor(positionsLookedAt / motion.particleCount)));
  for (const frame of spread(frames, intervals)) {
    motion.positions.numbers.readRow(frame, row);
    for (const index of outermost(row)) points.push(pointOf(row, index));
  }
  for (const frame of spread(frames, mostIntervals)) {
    for (const { position } of motion.pointCharges) charges.push(pointOf(position.seek(motion.times[frame]!), 0));
  }
  charges.push(...motion.obstacles.flatMap(cornersOf));
  const body = points.filter((point) => Number.isFinite(point.lengthSq()));
  const reach = farAway * diagonalOf(body);
  const isNear = (charge: Vector3) => body.some((point) => point.distanceTo(charge) <= reach);
  return [...body, ...charges.filter(isNear)];
}

/** The first and the last of so many frames, and others between them at even distances. */
function spread(frames: number, intervals: number): number[] {
  const count = Math.min(intervals, frames - 1);
  return Array.from({ length: count + 1 }, (_, i) => Math.round((i * (frames - 1)) / Math.max(1, count)));
}

/** The corners of a box, or of the box around a sphere; a plane has none. */
function cornersOf(obstacle: Obstacle): Vector3[] {
  if ('plane' in obstacle) return [];
  const [least, most] =
    'box' in obstacle
      ? [new Vector3(...obstacle.box.min), new Vector3(...obstacle.box.max)]
      : [-1, 1].map((side) => new Vector3(...obstacle.sphere.center).addScalar(side * obstacle.sphere.radius));
  return [0, 1, 2, 3, 4, 5, 6, 7].map((bits) =>
    new Vector3(bits & 1 ? most!.x : least!.x, bits & 2 ? most!.y : least!.y, bits & 4 ? most!.z : least!.z),
  );
}

/** Indices of the points that are farthest in any of the directions. */
function outermost(row: Float64Array): Set<number> {
  const found = new Set<number>();
  for (const { x, y, z } of directions) {
    let [least, most] = [Infinity, -Infinity];
    let [first, last] = [0, 0];
    for (let i = 0; i < row.length; i += 3) {
      const reach = x * row[i]! + y * row[i + 1]! + z * row[i + 2]!;
      if (reach < least) [least, first] = [reach, i / 3];
      if (reach > most) [most, last] = [reach, i / 3];
    }
    found.add(first).add(last);
  }
  return found;
}

function pointOf(row: ArrayLike<number>, index: number): Vector3 {
  return new Vector3(row[3 * index], row[3 * index + 1], row[3 * index + 2]);
}

/** The mean length of the springs in the first frame; without springs the side of the box over the root of N [m]. */
export function meanSpacing(motion: DecodedMotion, points: readonly Vector3[]): number {
  const row = new Float64Array(3 * motion.particleCount);
  motion.positions.numbers.readRow(0, row);
  const { springs } = motion;
  const diagonal = diagonalOf(points);
  if (!springs || springs.count === 0) return diagonal / Math.max(2, Math.sqrt(motion.particleCount)) || 1;
  let sum = 0;
  for (let i = 0; i < springs.count; ++i) {
    const [a, b] = [3 * springs.pairs[2 * i]!, 3 * springs.pairs[2 * i + 1]!];
    sum += Math.hypot(row[a]! - row[b]!, row[a + 1]! - row[b + 1]!, row[a + 2]! - row[b + 2]!);
  }
  return Math.min(sum / springs.count, diagonal / 3) || diagonal || 1;
}

/** The diagonal of the box around points [m]. */
export function diagonalOf(points: readonly Vector3[]): number {
  const lowest = new Vector3(Infinity, Infinity, Infinity);
  const highest = new Vector3(-Infinity, -Infinity, -Infinity);
  for (const point of points) {
    lowest.min(point);
    highest.max(point);
  }
  return points.length > 0 ? highest.distanceTo(lowest) : 0;
}
