import { expect, test } from 'vitest';
import { packQuantized } from '../dev/pack';
import type { PanelsDocument } from '../src/documents';
import { unpack } from '../src/packed';
import { panelDocument, unpackPanel } from '../src/panels/panels';
import { sideRoom } from '../src/plot/plot_options';
import { toCsv } from '../src/plot/plot_table';

/** Of two markers at three times: 1, 2, 3 and 10, missing, 30. */
const packed = {
  ...packQuantized('uint16', [3, 2], [1, 10, 2, 65535 + 1, 3, 30], { offset: 1, scale: 1 }, 0),
  missing: 65535,
};

const content: PanelsDocument = {
  title: 'Tracks',
  time: true,
  choice: { label: 'marker', names: ['a', 'b'] },
  x: { label: 'time', unit: 's', values: [0, 1, 2] },
  marks: [{ at: 1, label: 'forecast' }],
  panels: [
    {
      y: { label: 'x', unit: 'm' },
      series: [
        { label: 'recorded', style: 'points', values: packed },
        { label: 'zero', values: [0, 0, 0] },
      ],
      bands: [{ label: '± 1 σ', lower: [-1, -2], upper: [1, 2] }, { label: 'all', lower: -5, upper: 5 }],
    },
    { x: { label: 'q', unit: '', values: [1] }, y: { label: 'y', unit: 'm' }, series: [] },
  ],
};

test('packed: the whole number that stands for a missing one is NaN', async () => {
  const numbers = await unpack(packed);
  expect([...numbers.values()]).toEqual([1, 10, 2, NaN, 3, 30]);
  const row = new Float64Array(2);
  numbers.readRow(1, row);
  expect([...row]).toEqual([2, NaN]);
});

test('panels: a choice shows its own column, with its own strips, and a missing number is a gap', async () => {
  const panel = await unpackPanel(content.panels[0]!);
  const first = panelDocument(content, panel, 0);
  expect(first.series.map(({ values }) => values)).toEqual([[1, 2, 3], [0, 0, 0]]);
  expect(first.bands).toEqual([{ label: '± 1 σ', lower: -1, upper: 1 }, { label: 'all', lower: -5, upper: 5 }]);
  const second = panelDocument(content, panel, 1);
  expect(second.series[0]).toEqual({ label: 'recorded', style: 'points', values: [10, null, 30] });
  expect(second.bands![0]).toEqual({ label: '± 1 σ', lower: -2, upper: 2 });
  expect(second).toMatchObject({ title: 'Tracks: x', time: true, marks: content.marks, x: content.x });
});

test('panels: a panel has its own horizontal axis, or that of all; without either it says so', async () => {
  const own = await unpackPanel(content.panels[1]!);
  expect(panelDocument(content, own, 0).x.label).toBe('q');
  const { x: _, ...without } = content;
  const shared = await unpackPanel(content.panels[0]!);
  expect(() => panelDocument(without, shared, 0)).toThrow('no horizontal axis');
});

test('sideRoom: points and bars are not cut off, lines and times need no room', () => {
  const plot = (style: 'line' | 'points' | 'bars', more = {}) => ({
    title: 'Plot',
    x: { label: 'x', unit: '', values: [1, 2, 3, 4, 5] },
    y: { label: 'y', unit: '' },
    series: [{ label: 'a', values: [1, 1, 1, 1, 1], style }],
    ...more,
  });
  expect(sideRoom(plot('line'), [1, 2, 3, 4, 5])).toBe(0);
  expect(sideRoom(plot('bars'), [1, 2, 3, 4, 5])).toBe(0.5); // half a bar
  expect(sideRoom(plot('points'), [1, 2, 3, 4, 5])).toBeCloseTo(0.12);
  expect(sideRoom(plot('points'), [1])).toBe(0.5);
  expect(sideRoom(plot('points', { time: true }), [1, 2, 3, 4, 5])).toBe(0);
});

test('toCsv: names in place of numbers are quoted where they must be', () => {
  expect(toCsv([{ label: 'parameter' }, { label: 'error' }], [['a, b', 0.5]])).toBe('parameter,error\n"a, b",0.5\n');
});
