import { Color } from 'three';
import type { ThemeName } from '../page';

/** The colors of the picture that stand for no number. */
export interface Look {
  background: Color;
  /** What is written over the picture: crosses, rings. */
  ink: Color;
  /** Particles without a value. */
  particle: Color;
  /** Springs without a value. */
  spring: Color;
  /** Rims of spheres. */
  rim: Color;
  floor: Color;
  /** Faces without a value. */
  surface: Color;
  obstacle: Color;
  recorded: Color;
  positive: Color;
  negative: Color;
}

function look(colors: Record<keyof Look, string>): Look {
  // The shaders work with the numbers that a screen gets, as the legend's style sheet does.
  const entries = Object.entries(colors).map(([name, hex]) => [name, new Color().setStyle(hex, '')]);
  return Object.fromEntries(entries) as Look;
}

/** The look of the picture on a light and on a dark page. */
export const looks: Record<ThemeName, Look> = {
  light: look({
    background: '#efece7',
    ink: '#1d1f23',
    particle: '#8a8f99',
    spring: '#b4b1aa',
    rim: '#3c3b38',
    floor: '#d3cec5',
    surface: '#dcd8cf',
    obstacle: '#77808c',
    recorded: '#c2185b',
    positive: '#d24a1a',
    negative: '#1f63b8',
  }),
  dark: look({
    background: '#101216',
    ink: '#f1efe9',
    particle: '#9a9ea8',
    spring: '#555b66',
    rim: '#8d93a1',
    floor: '#2b2f37',
    surface: '#3a3f49',
    obstacle: '#8d97a6',
    recorded: '#ff6fa5',
    positive: '#f0793f',
    negative: '#4f9ae8',
  }),
};
