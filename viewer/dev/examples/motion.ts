import type { MotionDocument } from '../../src/documents';
import { clothBody, netBody, torusBody, type Body } from './bodies';
import { pack, packMotion, packQuantized } from '../pack';
import { evenly, makeRandom } from './random';
import { electricField, swing } from './swing';

/** A net of 64 charged balls that swings in front of a charged ball, with markers, gaps and a forecast. */
export function netExample(): MotionDocument {
  const body = netBody(8, 0.1);
  const charge = [0.35, -0.45, -0.35];
  const times = evenly(201, 0, 4);
  const frames = swing(body, times, { gravity: 9.81, stiffness: 60, charge: 6e-8, source: { charge: 4e-6, position: charge } });
  const names = [9, 12, 14, 25, 27, 30, 41, 44, 46, 57, 58, 59, 60, 61, 62, 63];
  const samples = evenly(101, 0, 4);
  const model = samples.flatMap((_, g) => names.flatMap((i) => [0, 1, 2].map((a) => frames[2 * g]![3 * i + a]!)));
  const noise = makeRandom(7);
  const gaps = samples.flatMap((_, g) => names.map((_, m) => noise() < 0.2 || (g > 40 && g < 55 && m === 3)));
  const recorded = model.map((x, i) => (gaps[Math.floor(i / 3)] ? NaN : x + 0.012 * (noise() + noise() + noise() - 1.5)));
  const points = grid([-0.5, -0.75, -0.9], [0.5, 0.45, 0.25], [6, 7, 7]);
  const fieldTimes = evenly(11, 0, 4);
  const field = fieldTimes.flatMap((_, k) => electricField(points, frames[20 * k]!, 6e-8, [{ charge: 4e-6, position: charge }]));
  return {
    ...common('Motion', body, times, frames),
    note: 'Made up to develop the page with.',
    recording: 'tracks',
    thinning: { kept: 4001, shown: 201, position_error: 0.00012 },
    point_charges: [{ charge: 4e-6, positions: [charge as [number, number, number]] }],
    field: {
      points: pack('float32', [points.length / 3, 3], points),
      times: fieldTimes,
      values: pack('float32', [fieldTimes.length, points.length / 3, 3], field),
    },
    markers: {
      names: names.map((i) => `ball ${i}`),
      times: samples,
      recorded: pack('float32', [samples.length, names.length, 3], recorded),
      model: pack('float32', [samples.length, names.length, 3], model),
      validation_from: 2.8,
    },
  };
}

/** A torus of 145 particles with charges of both signs, without gravity. */
export function torusExample(): MotionDocument {
  const body = torusBody(29, 5, 5, 2);
  const times = evenly(241, 0, 60);
  const charges = body.charges;
  return {
    ...common('Motion: released torus', body, times, swing(body, times, { gravity: 0, stiffness: 4, charges, mass: 1 })),
    recording: null,
    thinning: { kept: 241, shown: 241, position_error: 0 },
  };
}

/** A cloth of 100 × 100 in waves: as large as a motion of a report gets. */
export function clothExample(frames = 500): MotionDocument {
  const body = clothBody(100, 0.02);
  const times = evenly(frames, 0, 0.8);
  const positions = times.map((t) => waving(body, t));
  return {
    ...common('Motion: cloth of 10 000', body, times, positions),
    recording: null,
    thinning: { kept: 5001, shown: frames, position_error: 0.0000152 },
  };
}

function waving(body: Body, t: number): Float64Array {
  const x = body.positions.slice();
  for (let i = 0; i < x.length; i += 3) {
    const [u, v] = [x[i]!, x[i + 1]!];
    const free = (v + 1) / 2;
    x[i + 2] = free * (0.16 * Math.sin(4 * u - 14 * t) + 0.1 * Math.cos(5 * v + 3 * u - 19 * t)) - 0.25 * free * free;
    x[i + 1] = v * (1 - 0.08 * free * (1 + Math.sin(9 * t)));
  }
  return x;
}

function common(
  title: string,
  body: Body,
  times: number[],
  frames: Float64Array[],
): Omit<MotionDocument, 'recording' | 'thinning'> {
  const count = body.positions.length / 3;
  const flat = new Float64Array(frames.length * 3 * count);
  frames.forEach((frame, f) => flat.set(frame, f * 3 * count));
  const springs = body.pairs.length / 2;
  const random = makeRandom(3);
  return {
    title,
    times,
    positions: packMotion([times.length, count, 3], flat),
    speed: speedOf(flat, times, count),
    springs: {
      pairs: pack('uint32', [springs, 2], body.pairs),
      rest_length: pack('float32', [springs], body.restLengths),
    },
    quantities: [
      { name: 'charge', label: 'charge', unit: 'C', of: 'particles', values: pack('float32', [count], body.charges) },
      { name: 'mass', label: 'mass', unit: 'kg', of: 'particles', values: pack('float32', [count], new Array(count).fill(0.002)) },
      {
        name: 'stiffness',
        label: 'stiffness',
        unit: 'N/m',
        of: 'springs',
        values: pack('float32', [springs], Array.from({ length: springs }, () => 8 + 4 * random())),
      },
      {
        name: 'estimate-charge',
        label: 'estimate of charge',
        unit: 'C',
        of: 'particles',
        values: pack('float32', [count], Array.from({ length: count }, (_, i) => (i % 3 === 0 ? NaN : 5e-8 + 1e-8 * random()))),
      },
    ],
    pinned: body.pinned,
    up: [0, 0, 1],
  };
}

function speedOf(flat: Float64Array, times: number[], count: number): MotionDocument['speed'] {
  const speed = new Float64Array(times.length * count);
  let highest = 0;
  times.forEach((_, f) => {
    const [before, after] = [Math.max(f - 1, 0), Math.min(f + 1, times.length - 1)];
    for (let i = 0; i < count; ++i) {
      const step = [0, 1, 2].map((a) => flat[3 * (after * count + i) + a]! - flat[3 * (before * count + i) + a]!);
      speed[f * count + i] = Math.hypot(...step) / (times[after]! - times[before]!);
      highest = Math.max(highest, speed[f * count + i]!);
    }
  });
  return packQuantized('uint8', [times.length, count], speed, { offset: 0, scale: highest / 255 || 1 }, 1);
}

function grid(from: number[], to: number[], counts: number[]): number[] {
  const points: number[] = [];
  const at = (axis: number, i: number) => from[axis]! + ((to[axis]! - from[axis]!) * i) / (counts[axis]! - 1);
  for (let i = 0; i < counts[0]!; ++i)
    for (let j = 0; j < counts[1]!; ++j) for (let k = 0; k < counts[2]!; ++k) points.push(at(0, i), at(1, j), at(2, k));
  return points;
}
