import type { HeatmapDocument, MaybeNumber } from '../documents';
import { element } from '../dom';
import { tableElement } from '../table/table';
import { extent } from '../number_column';

/** What a heat map says about each row, as a table that is made when somebody opens it. */
export function rowTable({ rows, values, unit, title }: HeatmapDocument): HTMLElement {
  const made = element('details', { class: 'as-table' }, element('summary', {}, 'Show rows as table'));
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
  made.addEventListener('toggle', () => made.append(tableElement(columns, values.map(makeRow), title)), { once: true });
  return made;
}
