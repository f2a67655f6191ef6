import { cssColor } from '../color/maps';
import type { HeatmapDocument, MaybeNumber } from '../documents';
import { element, labelWithUnit } from '../dom';
import { numberColumn } from '../number_column';
import { scrollBox } from '../scroll_box';
import { valueAttributes } from '../value';
import { needsDarkText, type Coloring } from './coloring';

/** A small matrix as a table of colored cells with their numbers. */
export function matrixTable(content: HeatmapDocument, coloring: Coloring): HTMLElement {
  const { rows, columns, values, unit, title } = content;
  const { show } = numberColumn(values.flat().map(rounded), unit);
  const head = (columns.names ?? []).map((name) => element('th', { scope: 'col' }, name));
  const body = values.map((row, index) => {
    const cells = row.map((value) => cellElement(value, unit, show, coloring));
    return element('tr', {}, element('th', { scope: 'row', class: 'names-row' }, rows.names[index] ?? ''), ...cells);
  });
  // The axes say what they are: that of the rows above their names, that of the columns above theirs.
  const corner = element('td', { class: 'axis-label names-row' }, rows.label);
  const across = element('th', { class: 'axis-label', scope: 'colgroup', colspan: Math.max(1, head.length) });
  across.append(labelWithUnit(columns.label, columns.unit ?? ''));
  const over = element('tr', {}, element('td', { class: 'names-row' }), across);
  const made = element(
    'table',
    { class: 'matrix', 'aria-label': title },
    element('thead', {}, over, element('tr', {}, corner, ...head)),
    element('tbody', {}, ...body),
  );
  return scrollBox(made, title);
}

/** Three digits are enough beside a color, and keep the cells narrow. */
function rounded(value: MaybeNumber): MaybeNumber {
  return value === null ? null : Number(value.toPrecision(3));
}

function cellElement(
  value: MaybeNumber,
  unit: string,
  show: (value: MaybeNumber) => string,
  { color }: Coloring,
): HTMLElement {
  const cell = element('td', valueAttributes(value, unit), show(value));
  if (value === null) {
    cell.classList.add('missing');
    return cell;
  }
  const shade = color(value);
  cell.style.backgroundColor = cssColor(shade);
  cell.style.color = needsDarkText(shade) ? '#111' : '#fff';
  return cell;
}
