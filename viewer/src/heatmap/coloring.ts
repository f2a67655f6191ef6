import { sampleMap, type MapName, type Rgb } from '../color/maps';
import type { HeatmapDocument } from '../documents';
import { extent } from '../number_column';

/** How values become colors. */
export interface Coloring {
  map: MapName;
  /** Value of the first color, and of the last. */
  lowest: number;
  highest: number;
  /** Whether any value is missing. */
  missing: boolean;
  color(value: number): Rgb;
}

/** The range is the document's, or that of its values; a diverging one has zero in the middle. */
export function makeColoring({ values, range, diverging }: HeatmapDocument): Coloring {
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
    color: (value) => sampleMap(map, span > 0 ? (value - lowest) / span : 0.5),
  };
}

/** Whether dark text reads better than light text on a color, by the relative luminance of sRGB. */
export function needsDarkText([red, green, blue]: Rgb): boolean {
  const linear = (component: number) => ((component / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) > 0.179;
}
