import { sampleMap, type MapName, type Rgb } from '../colour/maps';
import type { HeatmapDocument } from '../documents';
import { extent } from '../number_column';

/** How values become colours. */
export interface Colouring {
  map: MapName;
  /** Value of the first colour, and of the last. */
  lowest: number;
  highest: number;
  /** Whether any value is missing. */
  missing: boolean;
  colour(value: number): Rgb;
}

/** The range is the document's, or that of its values; a diverging one has zero in the middle. */
export function makeColouring({ values, range, diverging }: HeatmapDocument): Colouring {
  let [lowest = 0, highest = 1] = range ?? extent(values.flat());
  if (diverging && !range) {
    highest = Math.max(Math.abs(lowest), Math.abs(highest));
    lowest = -highest;
  }
  const map = diverging ? 'diverging' : 'sequential';
  const span = highest - lowest;
  return {
    map,
    lowest,
    highest,
    missing: values.some((row) => row.some((value) => value === null)),
    colour: (value) => sampleMap(map, span > 0 ? (value - lowest) / span : 0.5),
  };
}

/** Whether dark text reads better than light text on a colour, by the relative luminance of sRGB. */
export function needsDarkText([red, green, blue]: Rgb): boolean {
  const linear = (component: number) => ((component / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) > 0.179;
}
