import type { Cell, Column, MaybeNumber, TableDocument } from '../documents';
import { element, labelWithUnit } from '../dom';
import { numberColumn } from '../number_column';
import type { Display } from '../page';
import { valueAttributes, valueElement } from '../value';
import './table.css';

/** Rows of numbers and words. */
export const table: Display<TableDocument> = (host, content) => {
  host.append(tableElement(content.columns, content.rows, content.title));
};

/** A table in its own scrolling box; columns of numbers share a prefix, which stands in their head. */
export function tableElement(columns: Column[], rows: Cell[][], label: string): HTMLElement {
  const writers = columns.map((column, index) => columnWriter(column, rows, index));
  const head = element('tr', {}, ...writers.map((writer) => writer.head));
  const body = rows.map((row) => element('tr', {}, ...writers.map((writer, index) => writer.cell(row[index] ?? null))));
  const made = element(
    'table',
    { class: 'data', 'aria-label': label },
    element('thead', {}, head),
    element('tbody', {}, ...body),
  );
  return element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': label }, made);
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
