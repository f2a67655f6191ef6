import type { CornerDocument, PanelsDocument } from '../../src/documents';
import { evenly, makeRandom } from './random';

const random = makeRandom(3);
const times = evenly(80, 0, 4);
const track = times.map((t) => 0.2 * Math.sin(3 * t));
const noise = times.map(() => 0.01 * (random() + random() + random() - 1.5));

/** Of two markers, which differ in their strips only. */
export const tracks: PanelsDocument = {
  title: 'Tracks',
  time: true,
  choice: { label: 'marker', names: ['tip – rms 5 mm', 'root – rms 5 mm, held out'] },
  x: { label: 'time', unit: 's', values: times },
  marks: [{ at: 2.8, label: 'forecast' }],
  panels: [
    {
      y: { label: 'x', unit: 'm' },
      series: [
        { label: 'simulated', values: track, style: 'line' },
        { label: 'recorded', values: track.map((x, k) => x + noise[k]!), style: 'points' },
      ],
    },
    {
      y: { label: 'x: recorded − simulated', unit: 'm' },
      series: [{ label: 'difference', values: noise, style: 'points', color: 1 }],
      bands: [
        { label: '± 2 σ', lower: [-0.01, -0.02], upper: [0.01, 0.02] },
        { label: '± 1 σ', lower: [-0.005, -0.01], upper: [0.005, 0.01] },
      ],
    },
  ],
};

const middles = evenly(21, -5, 5);

export const histogram: PanelsDocument = {
  title: 'Distribution',
  panels: [
    {
      x: { label: 'difference/σ', unit: '', values: middles },
      y: { label: 'density', unit: '' },
      series: [{ label: 'residuals', values: middles.map((z) => 0.4 * Math.exp((-z * z) / 2)), style: 'bars' }],
    },
    {
      x: { label: 'parameter', unit: '', values: [1, 2, 3], names: ['charge', 'stiffness of the rim', 'mass'] },
      y: { label: 'relative error', unit: '%', log: true },
      series: [{ label: 'as written', values: [0.3, 12, null], style: 'points' }],
    },
  ],
};

export const regions: CornerDocument = {
  title: 'Confidence regions',
  radius: 2.4477,
  parameters: [
    { name: 'charge', unit: 'C', estimate: 6e-8, standard_error: 1.1e-10 },
    { name: 'stiffness', unit: 'N/m', estimate: 10, standard_error: 0.07 },
  ],
  correlation: [
    [1, -0.6],
    [-0.6, 1],
  ],
  path: [
    [3e-8, 25],
    [5.6e-8, 8.6],
    [6e-8, 10],
  ],
};
