import { expect, test } from 'vitest';
import type { PlotDocument } from '../src/documents';
import { makePlotData, nearestIndex } from '../src/plot/plot_data';
import { linearLabels, logLabels } from '../src/plot/plot_options';
import { toCsv } from '../src/plot/plot_table';

const base: PlotDocument = {
  title: 'Plot',
  x: { label: 'time', unit: 's', values: [2, 0, null, 1] },
  y: { label: 'distance', unit: 'm' },
  series: [{ label: 'a', values: [0.002, -0.004, 5, null] }],
};

test('makePlotData: samples are sorted by x, those without x left out, gaps kept, and prefixes chosen by the largest', () => {
  const data = makePlotData({ ...base, series: [{ label: 'a', values: [0.002, -0.004, 0.005, null] }] });
  expect(data.x).toEqual([0, 1, 2]);
  expect(data.y).toEqual([[-4, null, 2]]);
  expect(data.yScale).toEqual({ factor: 1000, unit: 'mm' });
});

test('makePlotData: what a logarithmic axis cannot show is a gap, and its unit stays', () => {
  const data = makePlotData({ ...base, y: { ...base.y, log: true } });
  expect(data.y).toEqual([[null, null, 0.002]]);
  expect(data.yScale.unit).toBe('m');
});

test('makePlotData: a logarithmic x leaves out what is not positive, and keeps its unit', () => {
  const data = makePlotData({ ...base, x: { label: 'step', unit: 's', values: [0.002, 0, null, 0.001], log: true } });
  expect(data.x).toEqual([0.001, 0.002]);
  expect(data.xScale).toEqual({ factor: 1, unit: 's' });
  expect(data.y).toEqual([[null, 0.002]]); // in m, as the series' largest is
});

test('nearestIndex: the nearer neighbor, also beyond the ends', () => {
  const x = [0, 1, 3, 7];
  expect([-5, 0.4, 0.6, 2.1, 5.1, 99].map((value) => nearestIndex(x, value))).toEqual([0, 0, 1, 2, 3, 3]);
  expect(nearestIndex([], 1)).toBe(-1);
});

test('toCsv: exact numbers, quoted names, empty where missing', () => {
  const columns = [{ label: 'time', unit: 's' }, { label: 'left, "upper"' }];
  expect(toCsv(columns, [[0.1, 1 / 3], [0.2, null]])).toBe(
    'time [s],"left, ""upper"""\n0.1,0.3333333333333333\n0.2,\n',
  );
});

test.each([
  [[0, 0.25, 0.5], 0.25, ['0.00', '0.25', '0.50']],
  [[-10, 0, 10], 10, ['−10', '0', '10']],
  [[1.2340001, 1.2340002], 1e-7, ['1.2340001', '1.2340002']],
  [[-5e-13, 0, 5e-13, 1e-12], 5e-13, ['−5×10⁻¹³', '0', '5×10⁻¹³', '1×10⁻¹²']],
  [[2e6, 4e6], 2e6, ['2\u202f000\u202f000', '4\u202f000\u202f000']],
])('linearLabels: ticks %j have the digits of their spacing, and no two read the same', (ticks, spacing, labels) => {
  expect(linearLabels(ticks, spacing)).toEqual(labels);
});

test('logLabels: all numbers, or all powers of ten', () => {
  expect(logLabels([0.001, null, 0.1, 1, 20])).toEqual(['0.001', '', '0.1', '1', '20']);
  expect(logLabels([1e-4, 0.002, 1])).toEqual(['10⁻⁴', '2×10⁻³', '10⁰']);
});
