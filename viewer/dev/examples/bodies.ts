/** A made-up body. */
export interface Body {
  /** Three numbers for each particle [m]. */
  positions: Float64Array;
  /** Both particles of each spring. */
  pairs: number[];
  /** [m] */
  restLengths: number[];
  /** [C] */
  charges: number[];
  pinned: number[];
}

/** A square net that hangs from its corners' row, in the plane of x and z. */
export function netBody(side: number, spacing: number): Body {
  const places: number[] = [];
  for (let j = 0; j < side; ++j)
    for (let i = 0; i < side; ++i) places.push((i - (side - 1) / 2) * spacing, 0, -j * spacing);
  const pinned = [0, side - 1, (side - 1) >> 1];
  return body(places, gridPairs(side, side, false), () => 6e-8, pinned);
}

/** A flat square cloth with diagonals whose far edge is held. */
export function clothBody(side: number, spacing: number): Body {
  const places: number[] = [];
  const middle = ((side - 1) * spacing) / 2;
  for (let j = 0; j < side; ++j) for (let i = 0; i < side; ++i) places.push(i * spacing - middle, j * spacing - middle, 0);
  const pinned = Array.from({ length: side }, (_, i) => i);
  return body(places, gridPairs(side, side, true), (x, y) => 1e-9 * Math.sin(5 * x) * Math.cos(4 * y), pinned);
}

/** A torus around z of so many rings of so many particles, with charges of both signs. */
export function torusBody(rings: number, around: number, radius: number, tube: number): Body {
  const places: number[] = [];
  for (let j = 0; j < rings; ++j) {
    for (let i = 0; i < around; ++i) {
      const [u, v] = [(2 * Math.PI * j) / rings, (2 * Math.PI * (i + 0.5 * (j % 2))) / around];
      const r = radius + tube * Math.cos(v);
      places.push(r * Math.cos(u), r * Math.sin(u), tube * Math.sin(v));
    }
  }
  const pairs: number[] = [];
  for (let j = 0; j < rings; ++j) {
    for (let i = 0; i < around; ++i) {
      const at = (a: number, b: number) => ((a + rings) % rings) * around + ((b + around) % around);
      pairs.push(at(j, i), at(j, i + 1), at(j, i), at(j + 1, i), at(j, i), at(j + 1, i + (j % 2 ? 1 : -1)));
    }
  }
  return body(places, pairs, (x, y) => 2.5e-6 * Math.cos(3 * Math.atan2(y, x)), []);
}

function gridPairs(columns: number, rows: number, diagonals: boolean): number[] {
  const pairs: number[] = [];
  for (let j = 0; j < rows; ++j) {
    for (let i = 0; i < columns; ++i) {
      const at = j * columns + i;
      if (i + 1 < columns) pairs.push(at, at + 1);
      if (j + 1 < rows) pairs.push(at, at + columns);
      if (diagonals && i + 1 < columns && j + 1 < rows) pairs.push(at, at + columns + 1);
    }
  }
  return pairs;
}

function body(places: number[], pairs: number[], charge: (x: number, y: number) => number, pinned: number[]): Body {
  const positions = Float64Array.from(places);
  const restLengths: number[] = [];
  for (let s = 0; s < pairs.length; s += 2) {
    const [a, b] = [3 * pairs[s]!, 3 * pairs[s + 1]!];
    restLengths.push(Math.hypot(places[a]! - places[b]!, places[a + 1]! - places[b + 1]!, places[a + 2]! - places[b + 2]!));
  }
  const charges = Array.from({ length: places.length / 3 }, (_, i) => charge(places[3 * i]!, places[3 * i + 1]!));
  return { positions, pairs, restLengths, charges, pinned };
}
