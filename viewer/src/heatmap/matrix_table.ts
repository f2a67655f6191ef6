import { cssColour } from '../colour/maps';
import type { HeatmapDocument, MaybeNumber } from '../documents';
import { element } from '../dom';
import { numberColumn } from '../number_column';
import { valueAttributes } from '../value';
import { needsDarkText, type Colouring } from './colouring';

/** A small matrix as a table of coloured cells with their numbers. */
export function matrixTable(content: HeatmapDocument, colouring: Colouring): HTMLElement {
  const { rows, columns, values, unit, title } = content;
  const { show } = numberColumn(values.flat().map(rounded), unit);
  const head = (columns.names ?? []).map((name) => element('th', { scope: 'col' }, name));
  const body = values.map((row, index) => {
    const cells = row.map((value) => cellElement(value, unit, show, colouring));
    return element('tr', {}, element('th', { scope: 'row' }, rows.names[index] ?? ''), ...cells);
  });
  const made = element(
    'table',
    { class: 'matrix', 'aria-label': title },
    element('thead', {}, element('tr', {}, element('td'), ...head)),
    element('tbody', {}, ...body),
  );
  return element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': title }, made);
}

/** Three digits are enough beside a colour, and keep the cells narrow. */
function rounded(value: MaybeNumber): MaybeNumber {
  return value === null ? null : Number(value.toPrecision(3));
}

function cellElement(
  value: MaybeNumber,
  unit: string,
  show: (value: MaybeNumber) => string,
  { colour }: Colouring,
): HTMLElement {
  const cell = element('td', valueAttributes(value, unit), show(value));
  if (value === null) {
    cell.classList.add('missing');
    return cell;
  }
  const shade = colour(value);
  cell.style.backgroundColor = cssColour(shade);
  cell.style.color = needsDarkText(shade) ? '#111' : '#fff';
  return cell;
}
