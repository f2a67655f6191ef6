import { expect, test, vi } from 'vitest';
import { makeClock } from '../src/clock';
import { timeAfterKey } from '../src/time_control';

test('clock: the first interval sets range and time, further ones widen the range', () => {
  const clock = makeClock();
  clock.extend(2, 5);
  expect([clock.start, clock.end, clock.time]).toEqual([2, 5, 2]);
  clock.extend(1, 4);
  expect([clock.start, clock.end, clock.time]).toEqual([1, 5, 2]);
});

test('clock: stays within its range', () => {
  const clock = makeClock();
  clock.extend(0, 3);
  clock.set(10);
  expect(clock.time).toBe(3);
  clock.set(-1);
  expect(clock.time).toBe(0);
});

test('clock: a time or an interval that is no number changes nothing', () => {
  const clock = makeClock();
  clock.extend(0, 3);
  clock.set(1);
  clock.set(NaN);
  clock.extend(NaN, 9);
  clock.extend(5, 4);
  expect([clock.start, clock.end, clock.time]).toEqual([0, 3, 1]);
});

test('clock: tells every listener now and once for each change', () => {
  const clock = makeClock();
  clock.extend(0, 3);
  const listener = vi.fn();
  clock.subscribe(listener);
  clock.set(1);
  clock.set(1);
  clock.set(2.5);
  expect(listener.mock.calls).toEqual([[0], [1], [2.5]]);
});

test('timeAfterKey: arrows move by a hundredth, with shift by a tenth, other keys do not', () => {
  const clock = makeClock();
  clock.extend(0, 10);
  clock.set(5);
  expect(timeAfterKey({ key: 'ArrowRight', shiftKey: false }, clock)).toBeCloseTo(5.1, 12);
  expect(timeAfterKey({ key: 'ArrowLeft', shiftKey: true }, clock)).toBeCloseTo(4, 12);
  expect(timeAfterKey({ key: 'End', shiftKey: false }, clock)).toBe(10);
  expect(timeAfterKey({ key: 'a', shiftKey: false }, clock)).toBeNull();
});
