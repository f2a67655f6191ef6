import type { Cell, Column, MaybeNumber, TableDocument } from '../documents';
import { element, labelWithUnit } from '../dom';
import { numberColumn } from '../number_column';
import type { Display } from '../page';
import { scrollBox } from '../scroll_box';
import { valueAttributes, valueElement } from '../value';
import { sortedTable } from './sorted_table';
import './table.css';

/** Rows of numbers and words. */
export const table: Display<TableDocument> = (host, content) => {
  const order = columnOrder(content.columns);
  const columns = order.map((index) => content.columns[index]!);
  const rows = content.rows.map((row) => order.map((index) => row[index] ?? null));
  host.append((content.sortable ? sortedTable : tableElement)(columns, rows, content.title));
};

const isStatus = ({ label }: Column) => label.trim().toLowerCase() === 'status';

/** How rows ended comes first: numbers of a run that failed are read differently. All else stays in its order. */
export function columnOrder(columns: Column[]): number[] {
  const indices = columns.map((_, index) => index);
  return [...indices.filter((index) => isStatus(columns[index]!)), ...indices.filter((index) => !isStatus(columns[index]!))];
}

/** The column that says what a row is about: the first that is no status. */
export function namingColumn(columns: Column[]): number {
  return Math.max(0, columns.findIndex((column) => !isStatus(column)));
}

/** A table in its own scrolling box; columns of numbers share a prefix, which stands in their head. */
export function tableElement(columns: Column[], rows: Cell[][], label: string): HTMLElement {
  const writers = columns.map((column, index) => columnWriter(column, rows, index));
  const head = element('tr', {}, ...writers.map((writer) => writer.head));
  const naming = namingColumn(columns);
  writers[naming]?.head.classList.add('names-row');
  const body = rows.map((row) => {
    const cells = writers.map((writer, index) => writer.cell(row[index] ?? null));
    cells[naming]?.classList.add('names-row');
    return element('tr', {}, ...cells);
  });
  const made = element(
    'table',
    { class: 'data', 'aria-label': label },
    element('thead', {}, head),
    element('tbody', {}, ...body),
  );
  return scrollBox(made, label);
}

/** Makes the head and the cells of one column. */
function columnWriter(column: Column, rows: Cell[][], index: number) {
  const values = rows.map((row) => row[index] ?? null);
  const numeric = values.some((v) => typeof v === 'number') && values.every((v) => v === null || typeof v === 'number');
  if (!numeric) {
    return {
      head: headElement(column.label, column.unit ?? '', false),
      cell: (value: Cell) => wordCell(value, column.unit ?? ''),
    };
  }
  const numbers = numberColumn(values as MaybeNumber[], column.unit ?? '');
  return {
    head: headElement(column.label, numbers.unit, true),
    cell: (value: Cell) => element('td', valueAttributes(value, column.unit), numbers.show(value as MaybeNumber)),
  };
}

/** Texts longer than this may break. */
const longText = 20;

function wordCell(value: Cell, unit: string): HTMLElement {
  const cell = valueElement('td', value, unit);
  if (typeof value === 'string' && value.length > longText) cell.classList.add('long');
  return cell;
}

function headElement(label: string, unit: string, numeric: boolean): HTMLElement {
  return element('th', { scope: 'col', class: numeric ? 'number' : null }, labelWithUnit(label, unit));
}
