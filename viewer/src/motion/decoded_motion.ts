import type { FilmingCamera, MotionDocument, Obstacle } from '../documents';
import { PackedNumbers, unpack } from '../packed';
import { Track } from './track';

export interface Springs {
  count: number;
  /** Both particles of each spring. */
  pairs: Float64Array;
  /** [m] */
  restLengths: Float64Array;
}

/** A number of each particle or spring, which for particles may change with time; NaN: has none. */
export interface Quantity {
  name: string;
  label: string;
  unit: string;
  of: 'particles' | 'springs';
  values: Float64Array | Track;
}

export interface PointCharge {
  /** [C] */
  charge: number;
  /** [m] */
  position: Track;
}

export interface Markers {
  names: string[];
  times: number[];
  /** [m], NaN where missing. */
  recorded: Track;
  /** [m] */
  model: Track;
  /** The fit saw nothing from this time on [s]; null: it saw all. */
  validationFrom: number | null;
}

/** Vectors at points, drawn as arrows. */
export interface Arrows {
  points: Float64Array;
  strength: Track;
}

export interface Group {
  name: string;
  particles: Set<number>;
}

/** A motion document with its arrays decoded. */
export interface DecodedMotion {
  times: number[];
  particleCount: number;
  /** [m], NaN where nobody has that place. */
  positions: Track;
  /** [m/s] */
  speed: Track;
  springs: Springs | null;
  quantities: Quantity[];
  pinned: number[];
  pointCharges: PointCharge[];
  /** [V/m] */
  field: Arrows | null;
  /** [m/s] */
  wind: Arrows | null;
  obstacles: Obstacle[];
  cameras: FilmingCamera[];
  /** Three corners of each triangle; null: no faces. */
  faces: Float64Array | null;
  groups: Group[];
  markers: Markers | null;
  up: [number, number, number];
}

/** Decodes every array of a motion; throws an Error where they do not fit each other. */
export async function decodeMotion(content: MotionDocument): Promise<DecodedMotion> {
  const { times } = content;
  const positions = await unpack(content.positions);
  const [frames, particleCount] = positions.shape as [number, number];
  if (frames !== times.length || frames === 0) throw new Error(`It has ${times.length} times for ${frames} frames.`);
  return {
    times,
    particleCount,
    positions: new Track(times, content.present ? withGaps(positions, await unpack(content.present)) : positions),
    speed: new Track(times, await unpack(content.speed)),
    springs: content.springs ? await decodeSprings(content.springs) : null,
    quantities: await Promise.all(
      content.quantities.map(async (quantity) => {
        const values = await unpack(quantity.values);
        return { ...quantity, values: values.shape.length > 1 ? new Track(times, values) : values.values() };
      }),
    ),
    pinned: content.pinned,
    pointCharges: (content.point_charges ?? []).map((point) => ({
      charge: point.charge,
      position: placesOf(point.positions, times),
    })),
    field: content.field ? await decodeArrows(content.field) : null,
    wind: content.wind ? await decodeArrows(content.wind) : null,
    obstacles: content.obstacles ?? [],
    cameras: content.cameras ?? [],
    faces: content.faces ? (await unpack(content.faces)).values() : null,
    groups: await Promise.all(
      (content.groups ?? []).map(async ({ name, particles }) => ({ name, particles: new Set((await unpack(particles)).values()) })),
    ),
    markers: content.markers ? await decodeMarkers(content.markers) : null,
    up: content.up,
  };
}

/** The same positions, NaN where nobody is. */
function withGaps(positions: PackedNumbers, present: PackedNumbers): PackedNumbers {
  if (3 * present.length !== positions.length) throw new Error('It does not say for every position who is there.');
  const values = new Float32Array(positions.length);
  for (let i = 0; i < values.length; ++i) values[i] = present.at(Math.floor(i / 3)) > 0 ? positions.at(i) : NaN;
  return new PackedNumbers(positions.shape, values);
}

async function decodeSprings(springs: NonNullable<MotionDocument['springs']>): Promise<Springs> {
  const pairs = (await unpack(springs.pairs)).values();
  return { count: pairs.length / 2, pairs, restLengths: (await unpack(springs.rest_length)).values() };
}

async function decodeArrows(field: NonNullable<MotionDocument['field']>): Promise<Arrows> {
  return {
    points: (await unpack(field.points)).values(),
    strength: new Track(field.times, await unpack(field.values)),
  };
}

async function decodeMarkers(markers: NonNullable<MotionDocument['markers']>): Promise<Markers> {
  return {
    names: markers.names,
    times: markers.times,
    recorded: new Track(markers.times, await unpack(markers.recorded)),
    model: new Track(markers.times, await unpack(markers.model)),
    validationFrom: markers.validation_from,
  };
}

/** One position for all times, or one for each. */
function placesOf(positions: readonly (readonly number[])[], times: readonly number[]): Track {
  if (positions.length !== 1 && positions.length !== times.length) {
    throw new Error(`A point charge has ${positions.length} positions for ${times.length} frames.`);
  }
  const numbers = new PackedNumbers([positions.length, 3], Float32Array.from(positions.flat()));
  return new Track(positions.length === 1 ? times.slice(0, 1) : times, numbers);
}
