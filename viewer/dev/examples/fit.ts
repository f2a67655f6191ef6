import type {
  ExperimentDocument,
  HeatmapDocument,
  ParametersDocument,
  SummaryDocument,
  TableDocument,
} from '../../src/documents';
import { makeRandom } from './random';

export const summary: SummaryDocument = {
  title: 'Summary',
  name: 'charged-net',
  command: 'fit',
  status: 'converged',
  grade: 'good',
  explanation: 'The model explains the recording to within its noise; one of the four parameters is not determined by it.',
  facts: [
    { label: 'rms error, fitted part', value: 0.008547393335341807, unit: 'm' },
    { label: 'if nothing moved', value: 0.12455606448573968, unit: 'm' },
    { label: 'at constant velocity', value: 0.41084212870448217, unit: 'm' },
    { label: 'samples', value: 1984 },
    { label: 'condition', value: 1.3158402954760906 },
    { label: 'forecast', value: null, unit: 'm' },
    { label: 'time taken', value: 0.94, unit: 's' },
    { label: 'recording', value: 'tracks.csv <b>not bold</b> & "quoted"' },
  ],
};

const known = {
  group: null,
  recording: null,
  nuisance: false,
  standard_errors: { formal: null, robust: null, jackknife: null, random_effects: null },
  interval_from: 'formal',
  upper_limit: null,
  upper_limit_holds: null,
  interval_by: 'linear',
  curvature: null,
  identifiable: true,
  weak_direction: null,
  at_bound: false,
  half_step_shift: null,
  extrapolated: null,
} as const;

export const parameters: ParametersDocument = {
  title: 'Parameters',
  note: 'Estimates with standard errors from the Jacobian at the optimum.',
  confidence: 0.95,
  parameters: [
    {
      ...known,
      name: 'charge',
      value: 'charge',
      unit: 'C',
      initial: 2.999999999999998e-8,
      estimate: 5.992890236361606e-8,
      standard_error: 1.0791421914402788e-10,
      interval: [5.971726527012992e-8, 6.014053945710221e-8],
    },
    {
      ...known,
      name: 'stiffness of the rim',
      value: 'stiffness',
      group: 'rim',
      recording: 'left',
      unit: 'N/m',
      initial: 25,
      estimate: 10.00215454902181,
      standard_error: 0.9726221826711707,
      interval: [8.09, 11.91],
    },
    {
      ...known,
      name: 'mass',
      value: 'mass',
      unit: 'kg',
      initial: 0.1,
      estimate: 0.13412,
      standard_error: null,
      interval: [null, null],
      identifiable: false,
      weak_direction: 'mass +0.71 drag +0.71',
    },
    {
      ...known,
      name: 'drag',
      value: 'linear_drag',
      unit: 'kg/s',
      initial: 0.001,
      estimate: 0,
      standard_error: 0.0002,
      interval: [0, 0.00033],
      upper_limit: 0.00033,
      upper_limit_holds: true,
      at_bound: true,
    },
  ],
  halved_step: {
    status: 'converged',
    another_minimum: false,
    parameters: [
      { name: 'charge', estimate: 5.99e-8, change_in_standard_errors: 0.0383 },
      { name: 'stiffness of the rim', estimate: 9.99, change_in_standard_errors: 0.0505 },
      { name: 'mass', estimate: 0.1341, change_in_standard_errors: null },
      { name: 'drag', estimate: 0, change_in_standard_errors: 1.4 },
    ],
  },
};

const names = ['charge', 'stiffness', 'mass', 'drag'];

export const correlation: HeatmapDocument = {
  title: 'Correlation of the estimates',
  note: 'Rows and columns of a parameter that is not determined are missing.',
  rows: { label: 'parameter', names },
  columns: { label: 'parameter', names },
  values: [
    [1, -0.2677843332346265, null, 0.42],
    [-0.2677843332346265, 1, null, -0.93],
    [null, null, 1, null],
    [0.42, -0.93, null, 1],
  ],
  unit: '',
  range: [-1, 1],
  diverging: true,
};

const random = makeRandom(3);

export const recordings: TableDocument = {
  title: 'Errors by marker',
  columns: [
    { label: 'marker' },
    { label: 'samples' },
    { label: 'model', unit: 'm' },
    { label: 'if nothing moved', unit: 'm' },
    { label: 'constant velocity', unit: 'm' },
    { label: 'largest force', unit: 'N' },
    { label: 'used' },
  ],
  rows: Array.from({ length: 16 }, (_, index) => [
    `ball ${index * 4}`,
    36 + Math.floor(8 * random()),
    0.0075 + 0.003 * random(),
    0.05 + 0.15 * random(),
    index === 5 ? null : 0.2 + 0.4 * random(),
    10 ** (-7 + 6 * random()),
    index !== 5,
  ]),
};

export const experiment: ExperimentDocument = {
  title: 'Experiment',
  yaml: `# Written by pithball: the experiment of this run with every default filled in.
name: charged-net
system:
  mesh:
    grid: {size: [0.7, 0.7], segments: [7, 7], bend: false}
    rotate:
      axis: [1, 0, 0]
      angle: 90 degrees
  mass:
    total: 100 g
  charge: 30 nC      # the start value
  pinned: [top]
forces:
  - gravity: [0, 0, -9.81]
  - coulomb:
      method: auto
      tolerance: 1e-06
simulation:
  integrator: imex_midpoint
  time_step: 5 ms
fit:
  recordings:
    - file: "demo/tracks.csv"
      markers: [0, 2, 4, 6, 16, 18, 20, 22, 40, 42, 44, 46, 56, 58, 60, 62]
`,
  provenance: {
    program: 'pithball 0.1.0',
    command: 'fit',
    experiment: 'demo/charged-net.yaml',
    overrides: ['simulation.time_step=0.005'],
    threads: 2,
    linear_solver: 'supernodal',
  },
};

/** As wide as that of a comparison. */
export const comparison: TableDocument = {
  title: 'Comparison',
  columns: [
    { label: 'method' },
    { label: 'step', unit: 's' },
    { label: 'energy error, mean' },
    { label: 'std. dev.' },
    { label: 'largest' },
    { label: 'position error', unit: 'm' },
    { label: 'relative' },
    { label: 'time', unit: 's' },
    { label: 'force evaluations' },
    { label: 'Coulomb evaluations' },
    { label: 'linear solves' },
    { label: 'status' },
  ],
  rows: [
    ['leapfrog', 0.001, 1.2e-6, 3e-7, 4.1e-6, 3.1e-5, 0.0012, 0.41, 4000, 4000, 0, 'ok'],
    ['implicit midpoint', 0.001, 1.1e-9, 2e-10, 3e-9, 2.9e-5, 0.0011, 2.3, 12000, 16000, 8000, 'ok'],
    ['explicit Euler', 0.001, null, null, null, null, null, 0.2, 1234, 1234, 0, 'diverged at step 1234'],
  ],
};
