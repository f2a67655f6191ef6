import type { SectionDocument } from '../src/documents';
import { comparison, correlation, experiment, parameters, recordings, summary } from './examples/fit';
import { netExample } from './examples/motion';
import { histogram, regions, tracks } from './examples/panels';
import { cost, decades, divergence, energy, errors, residuals, scans, spectrum, steps } from './examples/plots';
import type { Filling } from './fill_template';

/** Made-up documents of every kind, to develop the page with; the last two show how a page takes trouble. */
export function exampleSections(): Filling[] {
  const broken = { title: 'Broken' } as SectionDocument;
  return [
    { kind: 'summary', content: summary },
    { kind: 'motion', content: netExample() },
    { kind: 'parameters', content: parameters },
    { kind: 'corner', content: regions },
    { kind: 'panels', content: tracks },
    { kind: 'panels', content: histogram },
    { kind: 'heatmap', content: correlation },
    { kind: 'plot', content: energy },
    { kind: 'plot', content: residuals },
    { kind: 'heatmap', content: errors },
    { kind: 'table', content: recordings },
    { kind: 'table', content: comparison },
    { kind: 'plot', content: cost },
    { kind: 'plot', content: steps },
    { kind: 'plot', content: divergence },
    { kind: 'plot', content: decades },
    { kind: 'heatmap', content: spectrum },
    ...scans.map((content) => ({ kind: 'heatmap', content })),
    { kind: 'experiment', content: experiment },
    { kind: 'plot', content: broken },
    { kind: 'hologram', content: { title: 'Unknown kind' } },
  ];
}
