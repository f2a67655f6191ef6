/**
 * Color maps that also read without red–green vision and in print: lightness changes evenly along each of them.
 *
 * `sequential` and `diverging` are our own paths through OKLab, the perceptual color space of Björn Ottosson (2020, its
 * formulas are in the public domain). The categorical colors are those of Okabe and Ito (2008, free to use).
 */
export type MapName = 'sequential' | 'diverging';

/** sRGB components from 0 to 255. */
export type Rgb = [number, number, number];

/** Lightness 0 to 1, chroma, hue in degrees. */
type Lch = readonly [lightness: number, chroma: number, hue: number];

/** Stations of a path, evenly spaced from 0 to 1. */
const paths: Record<MapName, readonly Lch[]> = {
  sequential: [
    [0.33, 0.125, 292],
    [0.48, 0.13, 272],
    [0.63, 0.11, 230],
    [0.78, 0.12, 166],
    [0.93, 0.165, 108],
  ],
  diverging: [
    [0.36, 0.13, 262],
    [0.62, 0.125, 248],
    [0.95, 0.008, 230],
    [0.66, 0.15, 52],
    [0.4, 0.115, 38],
  ],
};

const entries = 256;

/** OKLab to sRGB, clipped to what a screen can show. */
function toRgb(lightness: number, a: number, b: number): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    encode(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** The transfer function of sRGB. */
function encode(linear: number): number {
  const clipped = Math.min(Math.max(linear, 0), 1);
  return Math.round(255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055));
}

function stationAt(path: readonly Lch[], index: number): [number, number, number] {
  const [lightness, chroma, hue] = path[index]!;
  const angle = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

function makeTable(path: readonly Lch[]): Uint8ClampedArray {
  const table = new Uint8ClampedArray(3 * entries);
  for (let i = 0; i < entries; ++i) {
    const place = (i / (entries - 1)) * (path.length - 1);
    const before = Math.min(Math.floor(place), path.length - 2);
    const part = place - before;
    const from = stationAt(path, before);
    const to = stationAt(path, before + 1);
    const mix = (k: 0 | 1 | 2) => (1 - part) * from[k] + part * to[k];
    table.set(toRgb(mix(0), mix(1), mix(2)), 3 * i);
  }
  return table;
}

const tables = new Map<MapName, Uint8ClampedArray>();

/** A map as 256 colors, three bytes each, from lowest to highest. */
export function mapTable(name: MapName): Uint8ClampedArray {
  let table = tables.get(name);
  if (!table) tables.set(name, (table = makeTable(paths[name])));
  return table;
}

/** The color at t, from 0 (lowest) to 1 (highest); outside, that of the end. */
export function sampleMap(name: MapName, t: number): Rgb {
  const table = mapTable(name);
  const at = 3 * Math.round(Math.min(Math.max(t, 0), 1) * (entries - 1));
  return [table[at]!, table[at + 1]!, table[at + 2]!];
}

/** A CSS gradient of a whole map, for legends. */
export function cssGradient(name: MapName, direction = 'to right'): string {
  const stops = Array.from({ length: 17 }, (_, i) => cssColor(sampleMap(name, i / 16)));
  return `linear-gradient(${direction}, ${stops.join(', ')})`;
}

export function cssColor([red, green, blue]: Rgb): string {
  return `rgb(${red} ${green} ${blue})`;
}

/** Colors of unordered things, on a light and on a dark page; yellow and black make way for shades that show on both. */
const categories = {
  light: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b8860b', '#56b4e9', '#4d4d4d'],
  dark: ['#56b4e9', '#e69f00', '#2bb98c', '#e19cc4', '#f0e442', '#ff7f3f', '#bdbdbd'],
};

/** The color of the index-th of several unordered things; after seven they repeat. */
export function categoryColor(index: number, theme: 'light' | 'dark'): string {
  const colors = categories[theme];
  return colors[index % colors.length]!;
}

/** How many things `categoryColor` tells apart. */
export const categoryCount = categories.light.length;
