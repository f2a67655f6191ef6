import type { HeatmapDocument, MaybeNumber } from '../documents';
import { fold, mostRowsOnPaper } from '../fold';
import { tableElement } from '../table/table';
import { extent } from '../number_column';

/** What a heat map says about each row, as a table that is made when somebody opens it. */
export function rowTable({ rows, values, unit, title }: HeatmapDocument): HTMLElement {
  const columns = [
    { label: rows.label },
    { label: 'lowest', unit },
    { label: 'mean', unit },
    { label: 'highest', unit },
    { label: 'missing' },
  ];
  const makeRow = (row: MaybeNumber[], index: number) => {
    const known = row.filter((value) => value !== null);
    const [lowest = null, highest = null] = extent(known);
    const mean = known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
    return [rows.names[index] ?? '', lowest, mean, highest, row.length - known.length];
  };
  return fold('Show rows as table', () => [tableElement(columns, values.map(makeRow), title)], {
    kind: 'as-table',
    onPaper: values.length <= mostRowsOnPaper,
  });
}
