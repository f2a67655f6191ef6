import { PerspectiveCamera, Matrix4 } from 'three';
import { expect, test } from 'vitest';
import { netExample } from '../../dev/examples/motion';
import { decodeMotion } from '../../src/motion/decoded_motion';
import { particleAt, particleOfText, placeInPicture, type PickView } from '../../src/motion/nearest_particle';
import { particleFacts } from '../../src/motion/particle_facts';

/** From (0, 0, 5) along −z, 400 × 200 pixels. */
function view(radius = 0.1): PickView {
  const camera = new PerspectiveCamera(40, 2, 0.1, 100);
  camera.position.set(0, 0, 5);
  camera.updateMatrixWorld();
  const matrix = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).elements;
  return { matrix, width: 400, height: 200, radius, scale: 100 * camera.projectionMatrix.elements[5]! };
}

test('placeInPicture: the middle, up and right, and nothing behind the camera', () => {
  expect(placeInPicture(view(), 0, 0, 0)).toEqual({ left: 200, top: 100, depth: 5 });
  const place = placeInPicture(view(), 0.5, 0.5, 0)!;
  expect(place.left - 200).toBeCloseTo(100 - place.top);
  expect(place.left).toBeGreaterThan(200);
  expect(placeInPicture(view(), 0, 0, 6)).toBeNull();
  expect(placeInPicture(view(), NaN, 0, 0)).toBeNull();
});

test('particleAt: the foremost of those whose disc is there', () => {
  const positions = [0, 0, -2, 0, 0, 1, 0.01, 0, 0, NaN, NaN, NaN];
  expect(particleAt(view(), positions, 200, 100)).toBe(1);
});

test('particleAt: a near miss means the nearest; far away there is none', () => {
  const positions = [0, 0, 0, 0.2, 0, 0];
  const small = view(1e-4);
  expect(particleAt(small, positions, 204, 100)).toBe(0);
  expect(particleAt(small, positions, placeInPicture(small, 0.2, 0, 0)!.left + 5, 100)).toBe(1);
  expect(particleAt(small, positions, 20, 20)).toBe(-1);
});

test('particleOfText: whole numbers of particles that there are', () => {
  expect(['0', ' 41 ', '42', '-1', '1.5', '', 'a'].map((text) => particleOfText(text, 42))).toEqual([0, 41, null, null, null, null, null]);
});

test('particleFacts: position, speed, quantities of particles, springs, and whether it is pinned', async () => {
  const motion = await decodeMotion(netExample());
  const pinned = motion.pinned[0]!;
  const facts = particleFacts(motion, pinned, 0);
  const labels = facts.map(({ label }) => label);
  expect(labels).toEqual(expect.arrayContaining(['position', 'speed', 'charge', 'mass', 'springs']));
  expect(labels).not.toContain('stiffness');
  expect(facts.find(({ label }) => label === 'mass')!.text).toBe('2\u00a0g');
  expect(facts.at(-1)!.text).toBe('pinned');
  motion.groups = [
    { name: 'left', particles: new Set([pinned]) },
    { name: 'right', particles: new Set([pinned + 1]) },
  ];
  expect(particleFacts(motion, pinned, 0)).toContainEqual({ label: 'group', text: 'left' });
});
