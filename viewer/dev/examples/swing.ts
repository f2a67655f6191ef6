import type { Body } from './bodies';

interface Source {
  charge: number;
  position: number[];
}

interface Circumstances {
  gravity: number;
  stiffness: number;
  mass?: number;
  /** Of every particle; or each its own. */
  charge?: number;
  charges?: number[];
  source?: Source;
}

const coulomb = 8.9875517873681764e9;

/** Positions of a body at even times, by small symplectic Euler steps with a little damping: good enough to look at. */
export function swing(body: Body, times: number[], about: Circumstances): Float64Array[] {
  const steps = 30;
  const h = (times[1]! - times[0]!) / steps;
  const mass = about.mass ?? 0.02;
  const x = body.positions.slice();
  const v = new Float64Array(x.length);
  const frames = [x.slice()];
  for (let frame = 1; frame < times.length; ++frame) {
    for (let step = 0; step < steps; ++step) {
      const force = forces(body, x, mass, about);
      for (let i = 0; i < x.length; ++i) v[i] = (v[i]! + (h * force[i]!) / mass) * (1 - 0.25 * h);
      for (const i of body.pinned) v.fill(0, 3 * i, 3 * i + 3);
      for (let i = 0; i < x.length; ++i) x[i] = x[i]! + h * v[i]!;
    }
    frames.push(x.slice());
  }
  return frames;
}

function forces(body: Body, x: Float64Array, mass: number, about: Circumstances): Float64Array {
  const count = x.length / 3;
  const charges = about.charges ?? new Array<number>(count).fill(about.charge ?? 0);
  const sources: Source[] = about.source ? [about.source] : [];
  const force = Float64Array.from(electricField(x, x, charges, sources), (e, i) => e * charges[Math.floor(i / 3)]!);
  for (let i = 2; i < x.length; i += 3) force[i] = force[i]! - mass * about.gravity;
  body.restLengths.forEach((rest, s) => {
    const [a, b] = [3 * body.pairs[2 * s]!, 3 * body.pairs[2 * s + 1]!];
    const arm = [0, 1, 2].map((axis) => x[b + axis]! - x[a + axis]!);
    const length = Math.hypot(...arm);
    const pull = (about.stiffness * (length - rest)) / length;
    for (let axis = 0; axis < 3; ++axis) {
      force[a + axis] = force[a + axis]! + pull * arm[axis]!;
      force[b + axis] = force[b + axis]! - pull * arm[axis]!;
    }
  });
  return force;
}

/** The field of charged particles and sources at points [V/m]; a charge does not act on itself. */
export function electricField(
  points: ArrayLike<number>,
  particles: Float64Array,
  charge: number | number[],
  sources: Source[],
): number[] {
  const field = new Array<number>(points.length).fill(0);
  const add = (i: number, q: number, px: number, py: number, pz: number) => {
    const [dx, dy, dz] = [points[i]! - px, points[i + 1]! - py, points[i + 2]! - pz];
    const r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < 1e-18) return;
    const factor = (coulomb * q) / (r2 * Math.sqrt(r2));
    field[i] = field[i]! + factor * dx;
    field[i + 1] = field[i + 1]! + factor * dy;
    field[i + 2] = field[i + 2]! + factor * dz;
  };
  for (let i = 0; i < points.length; i += 3) {
    for (let j = 0; j < particles.length; j += 3) {
      add(i, typeof charge === 'number' ? charge : charge[j / 3]!, particles[j]!, particles[j + 1]!, particles[j + 2]!);
    }
    for (const { charge: q, position } of sources) add(i, q, position[0]!, position[1]!, position[2]!);
  }
  return field;
}
