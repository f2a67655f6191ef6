import { copyButton } from '../copy_button';
import type { Cell, Column } from '../documents';
import { button, element } from '../dom';
import { toCsv } from '../plot/plot_table';
import { tableElement } from './table';

/** A longer table shows its first rows: those of the order that the reader picks. */
const mostRows = 200;

interface Order {
  column: number;
  descending: boolean;
}

/** A table whose heads sort it: a first press upward, a second one downward. */
export function sortedTable(columns: Column[], rows: Cell[][], label: string): HTMLElement {
  const place = element('div', {});
  const show = (order: Order | null) => {
    const sorted = order ? sortedRows(rows, order) : rows;
    const made = tableElement(columns, sorted.slice(0, mostRows), label);
    made.querySelectorAll('thead th').forEach((head, column) => {
      const here = order?.column === column ? order : null;
      if (here) head.setAttribute('aria-sort', here.descending ? 'descending' : 'ascending');
      const text = element('span', {}, ...head.childNodes, here ? (here.descending ? ' ↓' : ' ↑') : null);
      const press = () => show({ column, descending: here !== null && !here.descending });
      head.replaceChildren(button({ class: 'sorts', title: 'Sort by this column' }, text, press));
    });
    place.replaceChildren(made);
  };
  show(null);
  const extent = rows.length > mostRows ? `${mostRows} of ${rows.length} rows; press a column's head to sort.` : `${rows.length} rows; press a column's head to sort.`;
  const copy = copyButton('Copy all as CSV', () => toCsv(columns, rows));
  return element('div', {}, element('p', { class: 'table-head' }, extent, copy), place);
}

/** Numbers by size, then words by alphabet; what is missing comes last either way. Equal ones stay in their order. */
export function sortedRows(rows: Cell[][], { column, descending }: Order): Cell[][] {
  const at = (row: Cell[]) => row[column] ?? null;
  const known = rows.filter((row) => at(row) !== null);
  const sign = descending ? -1 : 1;
  known.sort((a, b) => sign * compared(at(a), at(b)));
  return [...known, ...rows.filter((row) => at(row) === null)];
}

function compared(a: Cell, b: Cell): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}
