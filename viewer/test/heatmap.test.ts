import { expect, test } from 'vitest';
import type { HeatmapDocument } from '../src/documents';
import { makeColoring } from '../src/heatmap/coloring';
import { layNames, roundValues } from '../src/heatmap/heatmap_axes';
import { heatmapColumns } from '../src/heatmap/heatmap_columns';
import { sharedRanges } from '../src/heatmap/shared_range';

function matrix(values: (number | null)[][], more: Partial<HeatmapDocument> = {}): HeatmapDocument {
  return {
    title: 'Matrix',
    rows: { label: 'row', names: values.map((_, index) => `r${index}`) },
    columns: { label: 'time', unit: 's', values: [0, 1, 4] },
    values,
    unit: 'm',
    ...more,
  };
}

test('heatmapColumns: uneven times lie where they are, and every place belongs to the nearest', () => {
  const columns = heatmapColumns(matrix([[1, 2, 3]]));
  expect(columns.even).toBe(false);
  expect(columns.toFraction(-0.5)).toBe(0);
  expect(columns.toFraction(5.5)).toBe(1);
  for (const [value, column] of [[-0.4, 0], [0.49, 0], [0.51, 1], [2.4, 1], [2.6, 2], [5.4, 2]] as const) {
    expect(columns.at(columns.toFraction(value))).toBe(column);
  }
});

test('heatmapColumns: names are equally wide', () => {
  const columns = heatmapColumns(matrix([[1, 2, 3, 4]], { columns: { label: 'marker', names: ['a', 'b', 'c', 'd'] } }));
  expect(columns.even).toBe(true);
  expect([0, 0.26, 0.74, 0.76, 1].map((place) => columns.at(place))).toEqual([0, 1, 2, 3, 3]);
});

test('makeColoring: the range is that of the values, without the missing ones', () => {
  const { lowest, highest, missing } = makeColoring(matrix([[0.2, null, 0.7]]));
  expect([lowest, highest, missing]).toEqual([0.2, 0.7, true]);
});

test('makeColoring: a diverging map has the color of its middle at zero', () => {
  const { lowest, highest, color } = makeColoring(matrix([[-1, 2, 3]], { diverging: true }));
  expect([lowest, highest]).toEqual([-3, 3]);
  const [red, green, blue] = color(0);
  expect(Math.max(red, green, blue) - Math.min(red, green, blue)).toBeLessThan(14);
});

test('layNames: no two names overlap, on a wide page and on a phone', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `stiffness[${index}]`);
  for (const count of [2, 8, 13, 25, 60])
    for (const width of [150, 200, 360, 800, 1600])
      for (const letters of [10, 12.5]) {
        const { upright, every } = layNames(names(count), width, letters);
        const room = (every * width) / count;
        const needed = upright ? 1.2 * letters : 0.55 * letters * Math.max(...names(count).map((name) => name.length));
        expect(room).toBeGreaterThanOrEqual(needed);
      }
  expect(layNames(names(3), 800, 12.5)).toEqual({ upright: false, every: 1 });
  expect(layNames(names(25), 700, 12.5)).toEqual({ upright: true, every: 1 });
});

test('roundValues: multiples of 1, 2 or 5, at most one more than there is room for', () => {
  expect(roundValues(0, 6)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(roundValues(-0.013, 0.021)).toEqual([-0.01, -0.005, 0, 0.005, 0.01, 0.015, 0.02]);
  expect(roundValues(3, 3)).toEqual([]);
});

test('sharedRanges: maps of one kind have one range, that of all their values', () => {
  const [a, b] = ['Error: a', 'Error: b'].map((title, k) => matrix([[k, null, 5 * k + 1]], { title }));
  const other = matrix([[7, 8]], { title: 'Error: c', unit: 's' });
  const shared = sharedRanges([a!, b!, other]);
  expect([shared.get(a!), shared.get(b!)]).toEqual([{ range: [0, 6], maps: 2 }, { range: [0, 6], maps: 2 }]);
  expect(shared.has(other)).toBe(false);
});

test('sharedRanges: a range of its own is kept, and a diverging one has zero in its middle', () => {
  const fixed = matrix([[1]], { range: [-1, 1] });
  const [a, b] = [matrix([[-1, 3]], { diverging: true }), matrix([[-4, 2]], { diverging: true })];
  const shared = sharedRanges([fixed, a, b, matrix([[null]], { title: 'empty' }), matrix([[null]], { title: 'empty' })]);
  expect(shared.get(a)).toEqual({ range: [-4, 4], maps: 2 });
  expect(shared.size).toBe(2);
});
