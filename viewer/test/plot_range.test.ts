import { expect, test } from 'vitest';
import { makePlotData } from '../src/plot/plot_data';
import { logTicks } from '../src/plot/log_ticks';
import { clipOf, clipped, divergedCurves } from '../src/plot/value_range';

const rising = Array.from({ length: 40 }, (_, k) => 10 ** (k - 8));
const steady = (size: number) => rising.map((_, k) => size * (1 + (k % 3)));

test('divergedCurves: one that ends many decades above the others, and rose by as many', () => {
  expect(divergedCurves([steady(1), rising, steady(2)])).toEqual([false, true, false]);
  expect(divergedCurves([steady(1), rising.map((v) => -v)])).toEqual([false, true]);
});

test('divergedCurves: high all along, falling, or alone is not diverged', () => {
  expect(divergedCurves([steady(1e-12), steady(1e-11), steady(1)])).toEqual([false, false, false]);
  expect(divergedCurves([steady(1), [...rising].reverse()])).toEqual([false, false]);
  expect(divergedCurves([rising])).toEqual([false]);
  expect(divergedCurves([rising, rising])).toEqual([false, false]);
  expect(divergedCurves([[null, null], [], rising])).toEqual([false, false, false]);
});

test('divergedCurves: does not depend on the unit', () => {
  for (const scale of [1e-30, 1, 1e30]) {
    const curves = [steady(1), rising, steady(2)].map((values) => values.map((value) => scale * value));
    expect(divergedCurves(curves)).toEqual([false, true, false]);
  }
});

const series = ['a', 'b'].map((label) => ({ label, values: [] }));

test('clipOf: the range is that of the curves that did not diverge, with a decade above', () => {
  const y = { label: 'error', unit: '', log: true };
  const clip = clipOf({ series, y }, [steady(1), rising])!;
  expect([clip.lowest, clip.highest]).toEqual([1, 30]);
  expect(clip.beyond).toEqual([{ label: 'b', value: 1e31 }]);
  expect(clipOf({ series, y }, [steady(1), steady(2)])).toBeNull();
  expect(clipped([1, null, 1e31], clip, true)).toEqual([1, null, 3e4]);
});

test('makePlotData: the prefix is that of the curves that did not diverge', () => {
  const data = makePlotData({
    title: '',
    x: { label: 'time', unit: 's', values: rising.map((_, k) => k) },
    y: { label: 'energy', unit: 'J' },
    series: [{ label: 'a', values: steady(1e-3) }, { label: 'b', values: rising }],
  });
  expect(data.yScale.unit).toBe('mJ');
});

test.each([
  [1e-28, 1e4, 12],
  [1e-300, 1e300, 12],
  [1e-9, 1e-3, 12],
  [1e-12, 1, 4],
])('logTicks: %d to %d has at most eight labels at powers of ten and no more lines than can be told apart', (lowest, highest, room) => {
  const { ticks, labeled } = logTicks(lowest, highest, room);
  const shown = labeled.filter((tick) => tick !== null);
  expect(shown.length).toBeGreaterThanOrEqual(2);
  expect(shown.length).toBeLessThanOrEqual(Math.min(8, room));
  expect(ticks.length).toBeLessThanOrEqual(34);
  const steps = shown.slice(1).map((tick, k) => Math.log10(tick) - Math.log10(shown[k]!));
  for (const step of steps) expect(step).toBeCloseTo(steps[0]!);
});

test('logTicks: a few decades keep their fine lines, and less than two have labels within', () => {
  expect(logTicks(1, 1000, 8).ticks.length).toBe(28);
  expect(logTicks(900, 50000, 8).labeled.filter((tick) => tick !== null)).toContain(10000);
  expect(logTicks(2, 9, 9).labeled.filter((tick) => tick !== null).length).toBeGreaterThanOrEqual(3);
  expect(logTicks(1.01, 1.04, 8).labeled).toEqual([1.01, 1.015, 1.02, 1.025, 1.03, 1.035, 1.04]);
  expect(logTicks(0, 1, 8).ticks).toEqual([]);
});
