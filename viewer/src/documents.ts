/** The documents of a report, as docs/report.md describes them. Units are SI, in plain text. */

import type { FittedParameter, HalvedStep } from './results';

export type { FittedParameter, HalvedStep };

/** A number; null where it is infinite or unknown. */
export type MaybeNumber = number | null;

/** What every document may have. */
export interface SectionDocument {
  title: string;
  /** A sentence or two below the heading. */
  note?: string;
}

export interface Fact {
  label: string;
  value: number | string | null;
  unit?: string;
}

/** What a reader may do with the numbers of a run: use them, look again first, or not use them. */
export type Grade = 'good' | 'doubtful' | 'bad';

/** What was run and how it ended. */
export interface SummaryDocument extends SectionDocument {
  name: string;
  command: string;
  status: string;
  grade: Grade;
  explanation: string | null;
  facts: Fact[];
}

/** A vertical line at a value of the horizontal axis. */
export interface Mark {
  at: number;
  label: string;
}

/** `joined`: points with a line through them, also over values that are missing. */
export type SeriesStyle = 'line' | 'dashed' | 'points' | 'joined' | 'steps' | 'bars';

export interface PlotSeries {
  label: string;
  values: MaybeNumber[];
  style?: SeriesStyle;
  /** Number of its color, from 0; without it, its place among the series. */
  color?: number;
}

/** A strip between two values of the vertical axis. */
export interface Band {
  label: string;
  lower: MaybeNumber;
  upper: MaybeNumber;
}

/** Curves over one horizontal axis. */
export interface PlotDocument extends SectionDocument {
  /** `log` goes without `time` and `marks`; `names` of the values stand in their place. */
  x: { label: string; unit: string; values: MaybeNumber[]; log?: boolean; names?: string[] };
  /** x is the time of the motion: the plot follows the clock of the page. */
  time?: boolean;
  y: { label: string; unit: string; log?: boolean };
  series: PlotSeries[];
  /** Behind the series, the first at the back. */
  bands?: Band[];
  marks?: Mark[];
}

/** One plot of several; where there is a choice of C, what depends on it has C columns or entries. */
export interface Panel {
  /** Without it, that of all panels. */
  x?: PlotDocument['x'];
  y: PlotDocument['y'];
  /** Packed [X, C], or the same for every choice. */
  series: (Omit<PlotSeries, 'values'> & { values: MaybeNumber[] | PackedArray })[];
  /** One number for all choices, or one for each. */
  bands?: { label: string; lower: MaybeNumber | MaybeNumber[]; upper: MaybeNumber | MaybeNumber[] }[];
}

/** Plots side by side; with a choice, of the thing that the reader picks. */
export interface PanelsDocument extends SectionDocument {
  choice?: { label: string; names: string[] };
  x?: PlotDocument['x'];
  time?: boolean;
  marks?: Mark[];
  panels: Panel[];
}

/** Values with their errors, in pairs, and the way of the search that found them. */
export interface CornerDocument extends SectionDocument {
  /** Mahalanobis distance of the regions' edges. */
  radius: number;
  parameters: { name: string; unit: string; estimate: number; standard_error: number }[];
  correlation: MaybeNumber[][];
  /** [iteration][parameter]. */
  path: MaybeNumber[][];
}

export type Cell = number | string | boolean | null;

export interface Column {
  label: string;
  unit?: string;
}

export interface TableDocument extends SectionDocument {
  columns: Column[];
  rows: Cell[][];
  sortable?: boolean;
}

/** A matrix of values as colors. */
export interface HeatmapDocument extends SectionDocument {
  rows: { label: string; names: string[] };
  columns: { label: string; unit?: string; names?: string[]; values?: number[] };
  /** The columns are times of the motion. */
  time?: boolean;
  values: MaybeNumber[][];
  unit: string;
  /** Values of the first and the last color; without it, those that occur. */
  range?: [number, number];
  /** Two hues that meet at zero. */
  diverging?: boolean;
  marks?: Mark[];
}

export interface ParametersDocument extends SectionDocument {
  /** Confidence of the intervals, such as 0.95. */
  confidence: number;
  /** The table opens when it is asked for. */
  folded?: boolean;
  parameters: FittedParameter[];
  halved_step?: HalvedStep;
}

export interface ExperimentDocument extends SectionDocument {
  /** run.yaml. */
  yaml: string;
  provenance: {
    program: string;
    command: string;
    experiment: string;
    overrides: string[];
    threads: number;
    linear_solver?: string;
  };
}

/** Numbers as base64 of a zlib stream, little-endian; possibly quantized, as value = offset + scale·q. */
export interface PackedArray {
  type: 'float32' | 'uint32' | 'uint8' | 'uint16';
  shape: number[];
  data: string;
  /** What is stored are the differences of this order along the first axis. */
  order?: number;
  /** One number, or one for each index of the last axis. */
  offset?: number | number[];
  scale?: number;
  /** The whole number that stands for a missing one; without it, none is missing. */
  missing?: number;
}

/** A coloring: one value for each particle or spring, or for each particle in each frame [F, N]; NaN: has none. */
export interface MotionQuantity {
  name: string;
  label: string;
  unit: string;
  of: 'particles' | 'springs';
  values: PackedArray;
}

export type Vector = [number, number, number];

/** Particles are on the side of the normal; inside or outside a box or a sphere. */
export type Obstacle =
  | { plane: { point: Vector; normal: Vector } }
  | { box: { min: Vector; max: Vector } }
  | { sphere: { center: Vector; radius: number } };

/** A camera in the model's frame: its center [m], unit vectors of its picture, tangents of half the angles of view. */
export interface FilmingCamera {
  position: Vector;
  right: Vector;
  down: Vector;
  ahead: Vector;
  half_width: number;
  half_height: number;
}

/** A motion of F frames, N particles, S springs and M markers. */
export interface MotionDocument extends SectionDocument {
  recording: string | null;
  /** F times [s], not necessarily evenly spaced. */
  times: number[];
  /** Largest error of a shown position, in m. */
  thinning: { kept: number; shown: number; position_error: number };
  /** [F, N, 3], m. */
  positions: PackedArray;
  /** [F, N], m/s. */
  speed: PackedArray;
  /** [F, N]: 1 where a particle is there, 0 where nobody has that place; without it, all are always there. */
  present?: PackedArray;
  /** Pairs [S, 2]; rest lengths [S], m. */
  springs?: { pairs: PackedArray; rest_length: PackedArray };
  quantities: MotionQuantity[];
  /** Indices of particles that do not move. */
  pinned: number[];
  /** Charge [C]; one position, or one for each frame, m. */
  point_charges?: { charge: number; positions: [number, number, number][] }[];
  /** Electric field at P points [P, 3], m, at K times [s], [K, P, 3], V/m. */
  field?: { points: PackedArray; times: number[]; values: PackedArray };
  /** Wind of drag forces, as `field`, m/s. */
  wind?: { points: PackedArray; times: number[]; values: PackedArray };
  /** Obstacles of forces and constraints, lengths in m. */
  obstacles?: Obstacle[];
  /** The cameras that filmed it. */
  cameras?: FilmingCamera[];
  /** Corners of triangles [T, 3], numbers of particles. */
  faces?: PackedArray;
  groups?: { name: string; particles: PackedArray }[];
  /** G times [s]; recorded and model positions [G, M, 3], m, NaN where missing. */
  markers?: {
    names: string[];
    times: number[];
    recorded: PackedArray;
    model: PackedArray;
    validation_from: number | null;
  };
  /** Against gravity. */
  up: [number, number, number];
}
