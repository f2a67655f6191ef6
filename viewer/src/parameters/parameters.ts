import type { FittedParameter, HalvedStep, ParametersDocument } from '../documents';
import { element } from '../dom';
import { fold } from '../fold';
import { formatNumber, formatQuantity } from '../format';
import type { Display } from '../page';
import { valueAttributes, valueElement } from '../value';
import { intervalPicture } from './interval_picture';
import { formatEstimate } from './estimate';
import './parameters.css';

/** Estimates with their errors, and in words what the data could not tell. */
export const parameters: Display<ParametersDocument> = (host, content) => {
  if (!content.folded) return void host.append(...rowsElements(content));
  host.append(fold(`Show the table of ${content.parameters.length}`, () => rowsElements(content)));
};

function rowsElements(content: ParametersDocument): HTMLElement[] {
  const percent = `${formatNumber(100 * content.confidence)} % interval`;
  const labels = ['Parameter', 'Start', 'Estimate ± std. error', percent, 'Verdict'];
  if (content.halved_step) labels.splice(4, 0, 'Shift at half step [std. errors]');
  const head = element('tr', {}, ...labels.map((label) => element('th', { scope: 'col' }, label)));
  const rows = content.parameters.map((parameter) => rowElement(parameter, labels, content.halved_step));
  const table = element(
    'table',
    { class: 'parameters', 'aria-label': content.title },
    element('thead', {}, head),
    element('tbody', {}, ...rows),
  );
  return content.halved_step ? [table, halvedStepNote(content.halved_step)] : [table];
}

/** On narrow pages a row becomes a block in which every cell says its own label (data-label). */
function rowElement(parameter: FittedParameter, labels: string[], halved: HalvedStep | undefined): HTMLElement {
  const { unit } = parameter;
  const cells: HTMLElement[] = [
    valueElement('td', parameter.initial, unit),
    estimateCell(parameter),
    intervalCell(parameter),
    element('td', {}, ...verdict(parameter)),
  ];
  if (halved) cells.splice(3, 0, shiftCell(parameter, halved));
  cells.forEach((cell, index) => cell.setAttribute('data-label', labels[index + 1]!));
  return element('tr', {}, nameCell(parameter), ...cells);
}

function nameCell({ name, value, group, recording }: FittedParameter): HTMLElement {
  const parts = [group === null ? null : `group ${group}`, recording === null ? null : `recording ${recording}`];
  const scope = [name === value ? null : value, ...parts].filter((part) => part !== null).join(', ');
  const cell = element('th', { scope: 'row' }, name);
  if (scope !== '') cell.append(element('span', { class: 'scope' }, scope));
  return cell;
}

function estimateCell({ estimate, standard_error: error, unit }: FittedParameter): HTMLElement {
  const text = formatEstimate(estimate, error, unit);
  const space = text.unit === '' ? '' : `\u00a0${text.unit}`;
  const words = element(
    'span',
    { class: 'number' },
    element('strong', valueAttributes(estimate, unit), text.estimate),
    error === null ? `${space} ± ` : ' ± ',
    element('span', valueAttributes(error, unit), error === null ? 'unknown' : text.error),
    error === null ? '' : space,
  );
  return element('td', {}, words);
}

function intervalCell(parameter: FittedParameter): HTMLElement {
  const [lower, upper] = parameter.interval;
  const { unit } = parameter;
  if (lower === null && upper === null) {
    return element('td', { class: 'interval' }, intervalPicture(parameter), element('span', { class: 'ends' }, 'unknown'));
  }
  const limit = parameter.upper_limit;
  const ends =
    limit === null
      ? element(
          'span',
          { class: 'ends number' },
          valueElement('span', lower, unit),
          ' to ',
          valueElement('span', upper, unit),
        )
      : element('span', { class: 'ends number' }, 'below ', valueElement('span', limit, unit));
  return element('td', { class: 'interval' }, intervalPicture(parameter), ends);
}

function shiftCell(parameter: FittedParameter, halved: HalvedStep): HTMLElement {
  const found = halved.parameters.find(({ name }) => name === parameter.name);
  const shift = found?.change_in_standard_errors ?? null;
  const cell = element('td', valueAttributes(shift), formatNumber(shift, 2));
  if (shift !== null && shift > 1) cell.classList.add('doubtful');
  return cell;
}

/** What to think of an estimate, in words. */
function verdict(parameter: FittedParameter): (HTMLElement | string)[] {
  const { identifiable, weak_direction: weak, at_bound: atBound, upper_limit: limit } = parameter;
  const words: (HTMLElement | string)[] = [];
  if (!identifiable) {
    words.push(element('span', { class: 'badge not-ok' }, 'not identifiable'));
    if (weak !== null) words.push(element('span', { class: 'scope' }, `The data hardly change along ${weak}.`));
  }
  if (limit !== null && parameter.upper_limit_holds === false) {
    words.push(element('span', { class: 'badge not-ok' }, 'does not fit'));
    words.push(element('span', { class: 'scope' }, 'The upper limit of a model that does not fit does not hold.'));
  } else if (limit !== null) {
    words.push(element('span', { class: 'badge ok' }, 'consistent with 0'));
    words.push(element('span', { class: 'scope' }, 'Only an upper limit is known.'));
  } else if (atBound) {
    words.push(element('span', { class: 'badge not-ok' }, 'at its bound'));
    words.push(element('span', { class: 'scope' }, 'Its interval is one-sided.'));
  }
  if (words.length === 0 && parameter.standard_error === null) {
    words.push(element('span', { class: 'badge not-ok' }, 'error unknown'));
  }
  return words.length > 0 ? words : [element('span', { class: 'badge ok' }, 'identifiable')];
}

function halvedStepNote({ status, parameters: list }: HalvedStep): HTMLElement {
  const shifts = list.map(({ change_in_standard_errors: shift }) => shift).filter((shift) => shift !== null);
  const largest = shifts.length > 0 ? Math.max(...shifts) : null;
  const size = largest === null ? 'by an unknown amount' : `by at most ${formatQuantity(largest, '', 2)} standard errors`;
  return element('p', { class: 'note' }, `The same fit with half the time step (${status}) moves the estimates ${size}.`);
}
