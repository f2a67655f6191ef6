import { expect, test } from 'vitest';
import { categoryColor, categoryCount, mapTable, sampleMap, type Rgb } from '../src/color/maps';

/** CIE lightness L* of an sRGB color, independent of the space that the maps are made in. */
function lightness([red, green, blue]: Rgb): number {
  const linear = (component: number) => {
    const c = component / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  const y = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  return y > 216 / 24389 ? 116 * Math.cbrt(y) - 16 : (24389 / 27) * y;
}

const places = Array.from({ length: 65 }, (_, index) => index / 64);

test('sequential: every step is lighter, so that the map reads in print and without any color vision', () => {
  const shades = places.map((t) => lightness(sampleMap('sequential', t)));
  for (let k = 1; k < shades.length; ++k) expect(shades[k]! - shades[k - 1]!).toBeGreaterThan(0.5);
  expect(shades[64]! - shades[0]!).toBeGreaterThan(65);
});

test('diverging: lightest in the middle, and equally dark at both ends', () => {
  const shades = places.map((t) => lightness(sampleMap('diverging', t)));
  for (let k = 1; k <= 32; ++k) expect(shades[k]).toBeGreaterThan(shades[k - 1]!);
  for (let k = 33; k < 65; ++k) expect(shades[k]).toBeLessThan(shades[k - 1]!);
  expect(Math.abs(shades[0]! - shades[64]!)).toBeLessThan(6);
});

test('diverging: its sides differ for readers who do not tell red from green', () => {
  const blueness = (t: number) => sampleMap('diverging', t)[2] - sampleMap('diverging', t)[0];
  for (const t of [0, 0.1, 0.25, 0.4]) expect(blueness(t) - blueness(1 - t)).toBeGreaterThan(60);
});

test('sampleMap: beyond the ends it is the end, and it is the table', () => {
  expect(sampleMap('sequential', -3)).toEqual(sampleMap('sequential', 0));
  expect(sampleMap('sequential', 7)).toEqual([...mapTable('sequential').slice(-3)]);
  expect(mapTable('diverging')).toHaveLength(3 * 256);
});

test.each(['light', 'dark'] as const)('categoryColor: no two of a %s page are the same, then they repeat', (theme) => {
  const colors = Array.from({ length: categoryCount }, (_, index) => categoryColor(index, theme));
  expect(new Set(colors).size).toBe(categoryCount);
  expect(categoryColor(categoryCount, theme)).toBe(colors[0]);
});
