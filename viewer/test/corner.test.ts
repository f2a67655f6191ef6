import { expect, test } from 'vitest';
import { oneValue } from '../src/corner/corner';
import { ellipse, intervalOf, niceTicks } from '../src/corner/regions';

test('ellipse: every point is at that Mahalanobis distance', () => {
  const [mean, deviation, rho, radius] = [[3, -2], [0.5, 4], -0.7, 2.4477] as const;
  for (const [x, y] of ellipse([...mean], [...deviation], rho, radius)) {
    const [u, v] = [(x - mean[0]) / deviation[0], (y - mean[1]) / deviation[1]];
    expect((u * u - 2 * rho * u * v + v * v) / (1 - rho * rho)).toBeCloseTo(radius * radius, 9);
  }
});

test('ellipse: it reaches as far as the radius says, and a full correlation leaves a line', () => {
  const xs = ellipse([0, 0], [1, 1], 0.5, 2).map(([x]) => x);
  expect(Math.max(...xs)).toBeCloseTo(2);
  for (const [x, y] of ellipse([0, 0], [1, 1], 1, 2)) expect(y).toBeCloseTo(x);
});

test('oneValue: 1.96 standard deviations hold one value where 2.448 hold two together', () => {
  expect(oneValue(Math.sqrt(-2 * Math.log(0.05)))).toBeCloseTo(1.959964, 5);
  expect(oneValue(Math.sqrt(-2 * Math.log(0.32)))).toBeCloseTo(0.994458, 5);
});

test.each([
  [[59.7, 60.2], 3, [59.8, 60.0, 60.2]],
  [[-1, 1], 4, [-1, -0.5, 0, 0.5, 1]],
  [[1e-9, 4e-9], 3, [1e-9, 2e-9, 3e-9, 4e-9]],
] as [[number, number], number, number[]][])('niceTicks: round numbers within %j', (interval, most, wanted) => {
  const { ticks } = niceTicks(interval, most);
  expect(ticks.length).toBe(wanted.length);
  ticks.forEach((tick, k) => expect(tick / (wanted[k] || 1)).toBeCloseTo(wanted[k] === 0 ? 0 : 1));
});

test('intervalOf: holds its numbers with room, also where they are one', () => {
  expect(intervalOf([0, null, 10])).toEqual([-1, 11]);
  const [low, high] = intervalOf([5, 5]);
  expect(low).toBeLessThan(5);
  expect(high).toBeGreaterThan(5);
  expect(intervalOf([0])).toEqual([-1, 1]);
});
