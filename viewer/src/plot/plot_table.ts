import { copyButton } from '../copy_button';
import type { Cell, Column, PlotDocument } from '../documents';
import { element } from '../dom';
import { fold, mostRowsOnPaper } from '../fold';
import { tableElement } from '../table/table';

/** Longer tables show every second, third, … row. */
const mostRows = 1000;

/** The numbers of a plot as a table that is made when somebody opens it. */
export function plotTable(content: PlotDocument): HTMLElement {
  const columns: Column[] = [
    { label: content.x.label, unit: content.x.unit },
    ...content.series.map(({ label }) => ({ label, unit: content.y.unit })),
  ];
  const { names } = content.x;
  const rows: Cell[][] = content.x.values.map((x, index) => [
    names?.[index] ?? x,
    ...content.series.map(({ values }) => values[index] ?? null),
  ]);
  const every = Math.ceil(rows.length / mostRows);
  const make = () => {
    const shown = rows.filter((_, index) => index % every === 0);
    const extent = every === 1 ? `${rows.length} rows.` : `${shown.length} of ${rows.length} rows.`;
    const copy = copyButton('Copy all as CSV', () => toCsv(columns, rows));
    return [element('p', { class: 'table-head' }, extent, copy), tableElement(columns, shown, content.title)];
  };
  return fold('Show as table', make, { kind: 'as-table', onPaper: rows.length <= mostRowsOnPaper });
}

/** Comma-separated values with the exact numbers; a missing one is an empty field. */
export function toCsv(columns: Column[], rows: Cell[][]): string {
  const quote = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const head = columns.map(({ label, unit }) => quote(unit ? `${label} [${unit}]` : label));
  return [head, ...rows.map((row) => row.map((value) => (typeof value === 'string' ? quote(value) : (value ?? ''))))].map((row) => `${row.join(',')}\n`).join('');
}
