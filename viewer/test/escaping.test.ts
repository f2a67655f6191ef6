import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exampleSections } from '../dev/example_sections';
import { fillTemplate } from '../dev/fill_template';
import { parseDocument } from '../src/sections';

const root = new URL('../', import.meta.url);
const template = readFileSync(new URL('report.html', root), 'utf8');
const hostile = { title: '</script><script>alert(1)</script>', note: "<!-- $& $' & \u2028" };

test('fillTemplate: no text of a document can end its element', () => {
  const page = fillTemplate(template, [{ kind: 'table', content: hostile }]);
  const [, json = ''] = /data-kind="table">([^]*?)<\/script>/.exec(page) ?? [];
  expect(json).not.toContain('<');
  expect(parseDocument(json)).toEqual({ content: hostile, problem: null });
});

test('fillTemplate: a template without the comment is refused', () => {
  expect(() => fillTemplate('<body></body>', exampleSections())).toThrow('exactly once');
});

test('template: the comment stands once, and the policy forbids every request', () => {
  expect(template.split('<!-- pithball:sections -->')).toHaveLength(2);
  expect(template).toMatch(/default-src 'none'/);
  expect(template).not.toMatch(/connect-src|https?:/);
});

test('parseDocument: what is no JSON object with a title says why', () => {
  expect(parseDocument('{').problem).toContain('not JSON');
  expect(parseDocument('[1]').problem).toContain('no title');
  expect(parseDocument('{"title": 3}').problem).toContain('no title');
});

test('sources: text reaches the page as text only', () => {
  const files = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((name) => name.endsWith('.ts'));
  expect(sources.length).toBeGreaterThan(20);
  for (const name of sources) {
    const source = readFileSync(new URL(`src/${name}`, root), 'utf8');
    expect(source, name).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|\bfetch\(/);
  }
});
