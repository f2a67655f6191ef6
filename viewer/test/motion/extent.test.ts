import { Vector3 } from 'three';
import { describe, expect, it, vi } from 'vitest';
import { netExample } from '../../dev/examples/motion';
import { pack } from '../../dev/pack';
import { decodeMotion } from '../../src/motion/decoded_motion';
import { diagonalOf, meanSpacing, pointsOfRun } from '../../src/motion/extent';
import { Track } from '../../src/motion/track';
import { PackedNumbers } from '../../src/packed';

const net = netExample();

/** Three particles in two frames, of which the last flies off; a spring of 3 m; charges near and far. */
async function flight() {
  return decodeMotion({
    ...net,
    times: [0, 1],
    positions: pack('float32', [2, 3, 3], [0, 0, 0, 3, 0, 0, 1, 1, 1, 0, 0, 0, 3, 0, 0, 1, 1, 20]),
    speed: pack('float32', [2, 3], [0, 0, 0, 0, 0, 0]),
    springs: { pairs: pack('uint32', [1, 2], [0, 1]), rest_length: pack('float32', [1], [3]) },
    quantities: [],
    point_charges: [
      { charge: 1e-6, positions: [[0, -15, 0]] },
      { charge: 1e-6, positions: [[5000, 0, 0]] },
    ],
  });
}

describe('extent of a run', () => {
  it('holds the body in all frames and near charges, but not a charge so far away that the body would be a dot', async () => {
    const points = pointsOfRun(await flight());
    const holds = (x: number, y: number, z: number) => points.some((p) => p.distanceTo(new Vector3(x, y, z)) < 1e-6);
    expect(holds(1, 1, 20)).toBe(true);
    expect(holds(0, 0, 0)).toBe(true);
    expect(holds(0, -15, 0)).toBe(true);
    expect(holds(5000, 0, 0)).toBe(false);
  });

  it('many particles: fewer frames tell where they go', async () => {
    const motion = await flight();
    const times = Array.from({ length: 101 }, (_, i) => i);
    const positions = new Track(times, new PackedNumbers([101, 3, 3], new Float32Array(909)));
    const read = vi.spyOn(positions.numbers, 'readRow');
    pointsOfRun({ ...motion, times, positions, particleCount: 1_000_000 });
    expect(read.mock.calls.map(([frame]) => frame)).toEqual([0, 33, 67, 100]);
  });

  it('holds a near sphere, but not a container that is much larger than the motion', async () => {
    const motion = await flight();
    motion.obstacles = [
      { sphere: { center: [0, 10, 0], radius: 2 } },
      { box: { min: [-900, -900, -900], max: [900, 900, 900] } },
      { plane: { point: [0, 0, -1], normal: [0, 0, 1] } },
    ];
    const points = pointsOfRun(motion);
    expect(Math.max(...points.map(({ y }) => y))).toBe(12);
    expect(Math.min(...points.map(({ x }) => x))).toBe(-2);
  });

  it('spacing: is the mean length of the springs, at most a third of the space of the run', async () => {
    const motion = await flight();
    const points = pointsOfRun(motion);
    expect(meanSpacing(motion, points)).toBeCloseTo(3);
    expect(meanSpacing(motion, [new Vector3(0, 0, 0), new Vector3(3, 0, 0)])).toBeCloseTo(1);
  });

  it('diagonal: is that of the box, and 0 of nothing', () => {
    expect(diagonalOf([new Vector3(1, 2, 3), new Vector3(2, 4, 5)])).toBe(3);
    expect(diagonalOf([])).toBe(0);
  });
});
