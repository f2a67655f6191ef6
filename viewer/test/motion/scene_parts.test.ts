import { PerspectiveCamera, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { homePose, makeCamera, orbit, upwards } from '../../src/motion/camera';
import { fieldRange, fieldTone } from '../../src/motion/field_range';
import { presentMarkers } from '../../src/motion/marker_overlay';
import { niceBelow } from '../../src/motion/nice_length';

const box = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => new Vector3(5 + 3 * x, y, 0.5 * z))));

function seen(camera: PerspectiveCamera, points: Vector3[]): { x: number; y: number } {
  camera.updateMatrixWorld();
  camera.updateProjectionMatrix();
  const places = points.map((point) => point.clone().project(camera));
  return { x: Math.max(...places.map((p) => Math.abs(p.x))), y: Math.max(...places.map((p) => Math.abs(p.y))) };
}

describe('home position of the camera', () => {
  for (const aspect of [0.5, 1, 2]) {
    for (const up of [new Vector3(0, 0, 1), new Vector3(0, 1, 0), new Vector3(1, 0, 0), new Vector3(0, 0, -1)]) {
      it(`aspect ${aspect}, up ${up.toArray()}: holds the body and is filled by about 3/4`, () => {
        const camera = makeCamera([up.x, up.y, up.z]);
        camera.aspect = aspect;
        const { position, target } = homePose(box, up, aspect, camera.fov);
        camera.position.copy(position);
        camera.lookAt(target);
        const { x, y } = seen(camera, box);
        expect(Math.max(x, y)).toBeGreaterThan(0.72);
        expect(Math.max(x, y)).toBeLessThan(0.8);
        expect(position.clone().sub(target).dot(up)).toBeGreaterThan(0);
      });
    }
  }

  it('a single point: is seen from a finite distance', () => {
    const { position, target } = homePose([new Vector3(2, 3, 4)], new Vector3(0, 0, 1), 1, 32);
    expect(target.toArray()).toEqual([2, 3, 4]);
    expect(position.distanceTo(target)).toBeCloseTo(1);
  });

  it('up without a direction: is z', () => {
    expect(upwards([0, 0, 0]).toArray()).toEqual([0, 0, 1]);
  });
});

describe('turning', () => {
  it('keeps the distance, and stops before the pole', () => {
    const pose = { position: new Vector3(0, -2, 1), target: new Vector3(0, 0, 1) };
    const up = new Vector3(0, 0, 1);
    expect(orbit(pose, up, Math.PI / 2, 0).distanceTo(new Vector3(2, 0, 1))).toBeLessThan(1e-12);
    const high = orbit(pose, up, 0, 10).sub(pose.target);
    expect(high.length()).toBeCloseTo(2);
    expect(high.y).toBeLessThan(0);
    expect(high.z).toBeGreaterThan(1.99);
  });
});

describe('round lengths', () => {
  it('are 1, 2 or 5 times a power of ten, just below', () => {
    expect([0.1, 0.19, 0.2, 4.99, 5, 9.9, 1000, 3e-7].map(niceBelow)).toEqual([0.1, 0.1, 0.2, 2, 5, 5, 1000, 2e-7]);
  });
});

describe('markers', () => {
  it('without a recorded or a model position: are not shown', () => {
    const recorded = [1, 2, 3, NaN, 2, 3, 1, 2, 3];
    const model = [1, 2, 3, 1, 2, 3, 1, 2, NaN];
    expect(presentMarkers(recorded, model)).toEqual([0]);
  });
});

describe('field arrows', () => {
  it('strengths: three powers of ten are told apart, and a few next to charges do not take them', () => {
    const strengths = [...Array.from({ length: 199 }, (_, i) => 10 + i), 1e9];
    const range = fieldRange(strengths);
    expect(range.highest).toBeLessThan(210);
    expect(range.highest / range.lowest).toBeCloseTo(1000);
    expect(fieldTone(range, range.highest / 10)).toBeCloseTo(2 / 3);
    expect(fieldTone(range, 1e9)).toBe(1);
    expect(fieldTone(range, 0)).toBe(0);
  });

  it('no field at all: has no tones', () => {
    expect(fieldTone(fieldRange([0, 0]), 0)).toBe(0);
  });
});
