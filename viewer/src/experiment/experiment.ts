import { copyButton } from '../copy_button';
import type { ExperimentDocument } from '../documents';
import { element } from '../dom';
import type { Display } from '../page';
import { valueElement } from '../value';
import { yamlTokens } from './yaml_tokens';
import './experiment.css';

/** The experiment with every default filled in, and what ran it. */
export const experiment: Display<ExperimentDocument> = (host, content) => {
  const code = element('code', {});
  for (const line of content.yaml.trimEnd().split('\n')) {
    for (const { kind, text } of yamlTokens(line)) {
      code.append(kind === 'plain' ? text : element('span', { class: `yaml-${kind}` }, text));
    }
    code.append('\n');
  }
  const listing = element('pre', { class: 'yaml scroll', tabindex: 0, role: 'group', 'aria-label': 'run.yaml' }, code);
  const head = element('div', { class: 'yaml-head' }, 'run.yaml', copyButton('Copy', () => content.yaml));
  host.append(provenanceElement(content.provenance), head, listing);
};

function provenanceElement(provenance: ExperimentDocument['provenance']): HTMLElement {
  const entries: [string, string | number][] = [
    ['program', provenance.program],
    ['command', provenance.command],
    ['experiment', provenance.experiment],
    ...provenance.overrides.map((override): [string, string] => ['set', override]),
    ['threads', provenance.threads],
  ];
  if (provenance.linear_solver) entries.push(['linear solver', provenance.linear_solver]);
  const rows = entries.map(([label, value]) =>
    element('div', {}, element('dt', {}, label), valueElement('dd', value)),
  );
  return element('dl', { class: 'provenance' }, ...rows);
}
