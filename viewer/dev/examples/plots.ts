import type { HeatmapDocument, PlotDocument } from '../../src/documents';
import { evenly, makeRandom } from './random';

/** As long as the motion of the example [s]. */
const duration = 4;

const times = evenly(601, 0, duration);
const kinetic = times.map((t) => 0.02 * Math.exp(-0.25 * t) * (1 - Math.cos(4 * t)));
const elastic = times.map((t) => 0.011 * Math.exp(-0.25 * t) * (1 + Math.cos(4 * t)) + 0.004);
const coulomb = times.map((t) => 0.013 - 0.004 * Math.sin(2 * t) * Math.exp(-0.3 * t));

export const energy: PlotDocument = {
  title: 'Energy',
  note: 'Click to see that instant in the motion above.',
  x: { label: 'time', unit: 's', values: times },
  time: true,
  y: { label: 'energy', unit: 'J' },
  series: [
    { label: 'kinetic', values: kinetic },
    { label: 'elastic', values: elastic },
    { label: 'Coulomb', values: coulomb },
    { label: 'total', values: times.map((_, i) => kinetic[i]! + elastic[i]! + coulomb[i]!), style: 'dashed' },
  ],
  marks: [
    { at: 0.8, label: 'released' },
    { at: 2.8, label: 'forecast from here' },
  ],
};

export const cost: PlotDocument = {
  title: 'Cost',
  x: { label: 'iteration', unit: '', values: [0, 1, 2, 3, 4] },
  y: { label: 'cost', unit: '', log: true },
  series: [{ label: 'cost', values: [44464.396413562325, 2019.018152240246, 967.852861737985, 967.2870455944989, 967.28] }],
};

const random = makeRandom(7);

export const residuals: PlotDocument = {
  title: 'Residuals by marker',
  x: { label: 'time', unit: 's', values: evenly(121, 0, duration) },
  time: true,
  y: { label: 'distance', unit: 'm' },
  series: Array.from({ length: 16 }, (_, marker) => {
    const phase = 6 * random();
    return {
      label: `ball ${4 * marker}`,
      values: evenly(121, 0, duration).map((t) =>
        random() < 0.1 ? null : 0.006 + 0.004 * Math.sin(3 * t + phase) + 0.003 * random(),
      ),
      ...(marker % 5 === 4 ? { style: 'points' as const } : {}),
    };
  }),
};

export const steps: PlotDocument = {
  title: 'Time step',
  x: { label: 'time', unit: 's', values: evenly(50, 0, duration) },
  time: true,
  y: { label: 'time step', unit: 's', log: true },
  series: [{ label: 'chosen', values: evenly(50, 0, duration).map((t) => 10 ** (-3 - Math.round(1 + Math.sin(t)))), style: 'steps' }],
};

/** One of four methods diverges over some 40 decades. */
export const divergence: PlotDocument = {
  title: 'Energy error of four methods',
  x: { label: 'time', unit: 's', values: evenly(200, 0, duration) },
  time: true,
  y: { label: 'relative energy error', unit: '', log: true },
  series: [
    { label: 'leapfrog', values: evenly(200, 0, duration).map((t) => 1e-6 * (1.1 + Math.sin(5 * t))) },
    { label: 'implicit midpoint', values: evenly(200, 0, duration).map((t) => 1e-9 * (1.2 + Math.sin(7 * t))) },
    { label: 'RK4', values: evenly(200, 0, duration).map((t) => 1e-13 * (0.001 + t)) },
    { label: 'explicit Euler', values: evenly(200, 0, duration).map((t) => (t > 3 ? null : 1e-5 * Math.exp(28 * t))) },
  ],
};

/** A cost that falls over 30 decades: no gray bars. */
export const decades: PlotDocument = {
  title: 'Many decades',
  x: { label: 'step', unit: 's', values: evenly(60, -24, 0).map((power) => 10 ** power), log: true },
  y: { label: 'error', unit: 'm', log: true },
  series: [{ label: 'error', values: evenly(60, -28, 4).map((power) => 10 ** power), style: 'points' }],
};

/** Not evenly spaced, with a gap. */
const frames = evenly(400, 0, 1).map((part) => duration * part ** 1.5);

export const errors: HeatmapDocument = {
  title: 'Error of each marker over time',
  rows: { label: 'marker', names: Array.from({ length: 16 }, (_, index) => `ball ${4 * index}`) },
  columns: { label: 'time', unit: 's', values: frames },
  time: true,
  values: Array.from({ length: 16 }, (_, row) =>
    frames.map((t) => (random() < 0.1 || (row === 6 && t > 2 && t < 3) ? null : Math.abs(0.01 * Math.sin(2 * t + row) + 0.002 * random()))),
  ),
  unit: 'm',
  marks: [{ at: 2.8, label: 'forecast from here' }],
};

export const spectrum: HeatmapDocument = {
  title: 'A large matrix',
  rows: { label: 'particle', names: Array.from({ length: 500 }, (_, index) => String(index)) },
  columns: { label: 'frequency', unit: 'Hz', values: evenly(2000, 0, 50) },
  values: Array.from({ length: 500 }, (_, row) =>
    Array.from({ length: 2000 }, (_, column) => Math.round(1e4 * Math.sin(row / 40) * Math.cos(column / 90)) / 1e4),
  ),
  unit: 'm/s',
  diverging: true,
};

/** Two maps of one scan, which have the same colors. */
export const scans: HeatmapDocument[] = ['leapfrog at 0.001 s', 'implicit midpoint at 0.001 s'].map((method, k) => ({
  title: `Largest energy error: ${method}`,
  note: 'log₁₀ of the relative error. Empty cell: the run did not complete.',
  rows: { label: 'stiffness', names: ['1 N/m', '10 N/m', '100 N/m'] },
  columns: { label: 'damping', names: ['0', '0.1', '0.2', '0.4'] },
  values: [0, 1, 2].map((row) => [0, 1, 2, 3].map((column) => (row + column === 5 ? null : -8 + 3 * k + row - 0.4 * column))),
  unit: '',
}));
