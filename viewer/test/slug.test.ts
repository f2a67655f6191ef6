import { expect, test } from 'vitest';
import { makeSlugs, slug } from '../src/slug';

test.each([
  ['Energy', 'energy'],
  ['Errors by marker (mm)', 'errors-by-marker-mm'],
  ['  Größe – größer!  ', 'große-großer'],
  ['<script>', 'script'],
  ['…', 'section'],
])('slug: "%s" becomes "%s"', (title, id) => {
  expect(slug(title)).toBe(id);
});

test('makeSlugs: no two titles share an id, even where one looks like a numbered one', () => {
  const makeId = makeSlugs();
  const ids = ['Plot', 'plot 2', 'Plot', 'Plot', '–', '?'].map(makeId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.slice(0, 3)).toEqual(['plot', 'plot-2', 'plot-3']);
});
