import { expect, test } from 'vitest';
import { yamlTokens } from '../src/experiment/yaml_tokens';
import { numberColumn } from '../src/number_column';
import { formatEstimate } from '../src/parameters/estimate';
import { hiddenSides } from '../src/scroll_box';
import { sortedRows } from '../src/table/sorted_table';
import { columnOrder, namingColumn } from '../src/table/table';

test('numberColumn: one prefix and one number of decimals, three digits for the smallest', () => {
  const { unit, show } = numberColumn([0.1246, 0.00854739, null], 'm');
  expect([unit, show(0.1246), show(0.00854739), show(null)]).toEqual(['mm', '124.60', '8.55', '–']);
});

test('numberColumn: whole numbers have no decimals', () => {
  const { unit, show } = numberColumn([36, 1984, 0], '');
  expect([unit, show(36), show(1984), show(0)]).toEqual(['', '36', '1984', '0']);
});

test('numberColumn: the few small values of a curve through zero keep its unit and two digits', () => {
  const curve = Array.from({ length: 100 }, (_, index) => 2 * Math.sin(index / 10 - 1));
  const { unit, show } = numberColumn(curve, 'm');
  expect([unit, show(1e-6), show(0.5), show(0)]).toEqual(['m', '1×10⁻⁶', '0.500', '0.000']);
});

test('numberColumn: values of very different size have a prefix each', () => {
  const { unit, show } = numberColumn([2e-8, 0.3], 'N');
  expect([unit, show(2e-8), show(0.3)]).toEqual(['', '20\u00a0nN', '300\u00a0mN']);
});

test.each([
  [5.992890236361606e-8, 1.0791421914402788e-10, 'C', ['59.93', '0.11', 'nC']],
  [10.00215454902181, 0.07262218261117066, 'N/m', ['10.002', '0.073', 'N/m']],
  [1234.5, 250, 'N/m', ['1.23', '0.25', 'kN/m']],
  [0, 0.0002, 'kg/s', ['0', '200', 'mg/s']],
  [0.13412, null, 'kg', ['134.12', '–', 'g']],
])('formatEstimate: %d ± %d %s has the digits that its error leaves', (estimate, error, unit, text) => {
  const made = formatEstimate(estimate, error, unit);
  expect([made.estimate, made.error, made.unit]).toEqual(text);
});

test('yamlTokens: nothing is lost, and keys, numbers, texts and comments are told apart', () => {
  const line = '  - file: "a # b.csv"  # the recording: 3 of 4';
  const tokens = yamlTokens(line);
  expect(tokens.map(({ text }) => text).join('')).toBe(line);
  expect(tokens.filter(({ kind }) => kind !== 'plain')).toEqual([
    { kind: 'key', text: 'file' },
    { kind: 'text', text: '"a # b.csv"' },
    { kind: 'comment', text: '# the recording: 3 of 4' },
  ]);
});

test('yamlTokens: numbers within words and versions are words', () => {
  const kinds = (line: string) => yamlTokens(line).filter(({ kind }) => kind === 'number').map(({ text }) => text);
  expect(kinds('at: [0, -9.81, 1e-06]')).toEqual(['0', '-9.81', '1e-06']);
  expect(kinds('integrator: bdf2')).toEqual([]);
  expect(kinds('total: 100 g')).toEqual(['100']);
});

test('columnOrder: the status comes first, all else stays; the naming column is the first that is no status', () => {
  const columns = ['method', 'step', 'largest', 'Status'].map((label) => ({ label }));
  expect(columnOrder(columns)).toEqual([3, 0, 1, 2]);
  expect(namingColumn(columnOrder(columns).map((index) => columns[index]!))).toBe(1);
  expect(columnOrder(columns.slice(0, 3))).toEqual([0, 1, 2]);
  expect([namingColumn(columns), namingColumn([]), namingColumn([{ label: 'status' }])]).toEqual([0, 0, 0]);
});

test('hiddenSides: says where a box has more than it shows, but not for a fraction of a pixel', () => {
  expect(hiddenSides({ scrollLeft: 0, clientWidth: 300, scrollWidth: 301 })).toEqual({ left: false, right: false });
  expect(hiddenSides({ scrollLeft: 0, clientWidth: 300, scrollWidth: 500 })).toEqual({ left: false, right: true });
  expect(hiddenSides({ scrollLeft: 60, clientWidth: 300, scrollWidth: 500 })).toEqual({ left: true, right: true });
  expect(hiddenSides({ scrollLeft: 199.5, clientWidth: 300, scrollWidth: 500 })).toEqual({ left: true, right: false });
});

test('sortedRows: numbers by size, words after them, what is missing last in both directions', () => {
  const rows = [['b'], [null], [10], [9], ['a'], [-1]];
  expect(sortedRows(rows, { column: 0, descending: false }).flat()).toEqual([-1, 9, 10, 'a', 'b', null]);
  expect(sortedRows(rows, { column: 0, descending: true }).flat()).toEqual(['b', 'a', 10, 9, -1, null]);
});

test('sortedRows: equal rows keep their order', () => {
  const rows = [[1, 'x'], [0, 'y'], [1, 'z']];
  expect(sortedRows(rows, { column: 0, descending: true }).map((row) => row[1])).toEqual(['x', 'z', 'y']);
});
