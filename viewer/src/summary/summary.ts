import type { Fact, SummaryDocument } from '../documents';
import { element } from '../dom';
import { fold } from '../fold';
import { valueElement } from '../value';
import type { Display } from '../page';
import './summary.css';

/** So many numbers stand before all else; the others open on request. */
const mostNumbers = 5;

/** What tells whether a run can be used comes before what tells how large it was. */
const telling = /failed|error|residual|baseline|χ²|chi/i;

/** How the run ended, its five main numbers, and all else on request. */
export const summary: Display<SummaryDocument> = (host, content) => {
  if (content.explanation !== null) {
    host.append(element('p', { class: `explanation ${content.grade}` }, content.explanation));
  }
  const { main, notes, rest } = sortFacts(content.facts);
  if (main.length > 0) host.append(factList(main));
  for (const { value } of notes) host.append(element('p', { class: 'note summary-note' }, String(value)));
  if (rest.length === 0) return;
  const words = main.length > 0 ? `All else about this run (${rest.length})` : `About this run (${rest.length})`;
  host.append(fold(words, () => [factList(rest)], { kind: 'more-facts' }));
};

/** The numbers that stand first, the notes of the run, which are never folded, and the rest, each in the document's order. */
export function sortFacts(facts: Fact[]): { main: Fact[]; notes: Fact[]; rest: Fact[] } {
  const notes = facts.filter(({ label, value }) => label === 'note' && typeof value === 'string');
  const others = facts.filter((fact) => !notes.includes(fact));
  const numbers = others.filter(({ value }) => typeof value === 'number');
  const first = [...numbers.filter(({ label }) => telling.test(label)), ...numbers.filter(({ label }) => !telling.test(label))];
  const chosen = new Set(first.slice(0, mostNumbers));
  const rest = others.filter((fact) => !chosen.has(fact));
  // One alone is not worth a click.
  if (rest.length === 1) return { main: others, notes, rest: [] };
  return { main: others.filter((fact) => chosen.has(fact)), notes, rest };
}

function factList(facts: Fact[]): HTMLElement {
  return element('dl', { class: 'facts' }, ...facts.map(factElement));
}

function factElement(fact: Fact): HTMLElement {
  return element('div', {}, element('dt', {}, fact.label), valueElement('dd', fact.value, fact.unit));
}
