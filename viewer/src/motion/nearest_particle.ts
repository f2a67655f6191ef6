/** Where the pointer is and how the picture is seen, in pixels of the page. */
export interface PickView {
  /** Projection times view, column by column, as three.js keeps it. */
  matrix: ArrayLike<number>;
  width: number;
  height: number;
  /** Of a particle [m]. */
  radius: number;
  /** Pixels of a length of 1 m at a distance of 1 m. */
  scale: number;
}

/** A pointer that misses a particle by so many pixels still means it. */
const reach = 10;

/** Where a point is in the picture; null: behind the camera, or there is none. */
export function placeInPicture(view: PickView, x: number, y: number, z: number): { left: number; top: number; depth: number } | null {
  const m = view.matrix;
  const w = m[3]! * x + m[7]! * y + m[11]! * z + m[15]!;
  if (!(w > 0)) return null;
  const right = (m[0]! * x + m[4]! * y + m[8]! * z + m[12]!) / w;
  const up = (m[1]! * x + m[5]! * y + m[9]! * z + m[13]!) / w;
  return { left: ((1 + right) / 2) * view.width, top: ((1 - up) / 2) * view.height, depth: w };
}

/** The particle at a place of the picture: the foremost whose disc is there, else the nearest within reach; −1: none. */
export function particleAt(view: PickView, positions: ArrayLike<number>, left: number, top: number): number {
  let foremost = -1;
  let leastDepth = Infinity;
  let nearest = -1;
  let leastDistance = reach;
  for (let i = 0; i < positions.length / 3; ++i) {
    const place = placeInPicture(view, positions[3 * i]!, positions[3 * i + 1]!, positions[3 * i + 2]!);
    if (!place) continue;
    const distance = Math.hypot(place.left - left, place.top - top);
    if (distance <= (view.radius * view.scale) / place.depth && place.depth < leastDepth) {
      foremost = i;
      leastDepth = place.depth;
    }
    if (distance < leastDistance) {
      nearest = i;
      leastDistance = distance;
    }
  }
  return foremost >= 0 ? foremost : nearest;
}

/** The particle that a text asks for, counted from 0; null: none of them. */
export function particleOfText(text: string, count: number): number | null {
  const trimmed = text.trim();
  if (!/^\d+$/.test(trimmed)) return null;
  const index = Number(trimmed);
  return index < count ? index : null;
}
