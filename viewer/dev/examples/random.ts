/** Numbers that look random and are the same each time (mulberry32). */
export function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** first, first + step, …: count numbers. */
export function evenly(count: number, first: number, last: number): number[] {
  return Array.from({ length: count }, (_, index) => first + ((last - first) * index) / (count - 1));
}
