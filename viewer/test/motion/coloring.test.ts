import { describe, expect, it } from 'vitest';
import { netExample } from '../../dev/examples/motion';
import { pack } from '../../dev/pack';
import { centered, coloringsOf, isConstant, strainOf, toneOf, type Coloring } from '../../src/motion/coloring';
import { decodeMotion } from '../../src/motion/decoded_motion';
import type { Track } from '../../src/motion/track';

const net = netExample();

function coloring(lowest: number, highest: number): Coloring {
  return { name: '', label: '', unit: '', of: 'particles', source: 'strain', lowest, highest, map: 'sequential', remark: '' };
}

describe('coloring', () => {
  it('both signs: zero is in the middle of a diverging map', () => {
    expect(centered(-1, 3)).toEqual({ lowest: -3, highest: 3, map: 'diverging' });
    expect(toneOf({ ...coloring(-3, 3) }, 0)).toBe(0.5);
  });

  it('one sign: the range is that of the values', () => {
    expect(centered(2, 5)).toEqual({ lowest: 2, highest: 5, map: 'sequential' });
    expect(centered(-5, 0)).toEqual({ lowest: -5, highest: 0, map: 'sequential' });
  });

  it('tone: grows from 0 to 1, is held at the ends, and is −1 for what has no value', () => {
    const tones = [0, 2, 3, 4, 9].map((value) => toneOf(coloring(2, 4), value));
    expect(tones).toEqual([0, 0, 0.5, 1, 1]);
    expect(toneOf(coloring(2, 4), NaN)).toBe(-1);
  });

  it('equal values: are constant, and have a tone nevertheless', () => {
    expect(isConstant(coloring(4, 4))).toBe(true);
    expect(toneOf(coloring(4, 4), 4)).toBe(0.5);
  });

  it('strain: is the elongation in per cent of the rest length', () => {
    const springs = { count: 1, pairs: Float64Array.from([0, 1]), restLengths: Float64Array.from([4]) };
    expect(strainOf([0, 0, 0, 3, 0, 4], springs, 0)).toBe(25);
  });
});

describe('colorings of a motion', () => {
  it('speed, strain and every quantity of the document: are offered', async () => {
    const names = coloringsOf(await decodeMotion(net)).map(({ name }) => name);
    expect(names).toEqual(['speed', 'strain', 'charge', 'mass', 'stiffness', 'estimate-charge']);
  });

  it('speed: reaches from rest to the highest of the whole run', async () => {
    const decoded = await decodeMotion({ ...net, ...restingBut(7) });
    expect(coloringsOf(decoded)[0]).toMatchObject({ lowest: 0, highest: 7 });
  });

  it('strain: a spring that breaks all bounds leaves the range to the others', async () => {
    const count = 300;
    const pairs = Array.from({ length: count }, () => [0, 1]).flat();
    const restLengths = Array.from({ length: count }, (_, i) => (i === 0 ? 1e-6 : i === 1 ? 1 : 1 / 1.1));
    const decoded = await decodeMotion({
      ...net,
      ...restingBut(1),
      springs: { pairs: pack('uint32', [count, 2], pairs), rest_length: pack('float32', [count], restLengths) },
    });
    const strain = coloringsOf(decoded).find(({ name }) => name === 'strain')!;
    expect(strain.lowest).toBeCloseTo(10, 3);
    expect(strain.highest).toBeCloseTo(10, 3);
    expect(strain.remark).toContain('99th percentile');
  });

  it('a quantity that some do not have: says so', async () => {
    const estimate = coloringsOf(await decodeMotion(net)).at(-1)!;
    expect(estimate.remark).toContain('gray');
    expect(estimate.lowest).toBeGreaterThanOrEqual(5e-8 * (1 - 1e-6));
  });
});

describe('particles that come and go', () => {
  it('a place that nobody has: has no position, also on the way to a frame in which somebody has it', async () => {
    const decoded = await decodeMotion({ ...net, ...restingBut(1), present: pack('uint32', [2, 2], [1, 0, 1, 1]) });
    expect([...decoded.positions.seek(0)]).toEqual([0, 0, 0, NaN, NaN, NaN]);
    expect(decoded.positions.seek(0.5)[3]).toBeNaN();
    expect([...decoded.positions.seek(1)]).toEqual([0, 0, 0, 1, 0, 0]);
  });

  it('a quantity of each frame: changes with time, and its range is that of the run', async () => {
    const quantity = { name: 'age', label: 'age', unit: 's', of: 'particles' as const };
    const values = pack('float32', [2, 2], [1, 2, 3, 9]);
    const decoded = await decodeMotion({ ...net, ...restingBut(1), quantities: [{ ...quantity, values }] });
    const age = coloringsOf(decoded).at(-1)!;
    expect(age).toMatchObject({ name: 'age', lowest: 1, highest: 9 });
    expect([...(age.source as Track).seek(0.5)]).toEqual([2, 5.5]);
  });
});

/** Two particles, one meter apart, in two frames; the second has that speed in the end. */
function restingBut(speed: number) {
  return {
    times: [0, 1],
    positions: pack('float32', [2, 2, 3], [0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0]),
    speed: pack('float32', [2, 2], [0, 0, 0, speed]),
    quantities: [],
    point_charges: [],
  };
}
