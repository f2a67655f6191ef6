import type { Fact, SummaryDocument } from '../documents';
import { element } from '../dom';
import { valueElement } from '../value';
import type { Display } from '../page';
import './summary.css';

/** How the run ended, and its main figures. */
export const summary: Display<SummaryDocument> = (host, content) => {
  if (content.explanation !== null) {
    host.append(element('p', { class: `explanation ${content.grade}` }, content.explanation));
  }
  host.append(element('dl', { class: 'facts' }, ...content.facts.map(factElement)));
};

function factElement(fact: Fact): HTMLElement {
  return element('div', {}, element('dt', {}, fact.label), valueElement('dd', fact.value, fact.unit));
}
