import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openedReport } from './support/opened_report.mjs';
import { kindsShown, requireNarrowFit } from './support/reader.mjs';

const experiment = `name: balls
system:
  vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
  mass: 0.1
  charge: 1 uC
  pinned: [0]
  springs: {edges: [[0, 1], [1, 2]], stiffness: 10, damping: 0.1}
forces: [{gravity: [0, 0, -9.81]}, coulomb, {box_penalty: {min: [-3, -3, -3], max: [3, 3, 3], stiffness: 100}}]
simulation: {integrator: imex_midpoint, time_step: 0.01, duration: 0.2}
sweep:
  grid: {forces.box_penalty.max: [[1, 1, 1], [4, 4, 4]], forces.box_penalty.min: [[-3, -3, -3], [2, 2, 2]]}
  latin_hypercube: {samples: 75, over: {system.charge: [1 uC, 9 uC], system.mass: [0.1, 1]}}
`;

const opened = openedReport('plan', (place) => {
  place.write('balls.yaml', experiment);
  place.run(['sweep', 'balls.yaml', '--out', 'plan', '--quiet']);
  place.run(['run', 'plan', '--quiet'], 1); // a quarter of the boxes is inside out
  place.run(['collect', 'plan', '--quiet'], 1);
});

const tasks = () => opened.page.locator('section', { has: opened.page.locator('h2', { hasText: /^Tasks$/ }) });

test('it opens from disk, shows every section and asks for nothing', async () => {
  const kinds = await kindsShown(opened.page);
  for (const kind of ['summary', 'panels', 'table']) assert.ok(kinds.includes(kind), `no ${kind} in ${kinds.join(', ')}`);
  assert.deepEqual(kinds.filter((kind) => kind.includes(' ')), []);
  await opened.reader.keep(opened.page, 'sweep-light');
  opened.reader.requireCalm();
});

test('failures are counted by their cause', async () => {
  const text = await opened.page.locator('section', { hasText: 'How the tasks ended' }).last().textContent();
  assert.match(text, /box_penalty/);
});

test('the head of a column sorts the tasks, and all of them can be brought into sight', async () => {
  const column = () =>
    tasks().locator('tbody tr').evaluateAll((rows) => rows.map((row) => JSON.parse(row.children[1].dataset.value)));
  assert.equal((await column()).length, 200);
  await tasks().locator('thead th').nth(1).locator('button').click();
  assert.deepEqual((await column()).slice(0, 3), [0, 1, 2]);
  await tasks().locator('thead th').nth(1).locator('button').click();
  assert.deepEqual((await column()).slice(0, 3), [299, 298, 297]);
});

test('it fits a telephone', () => requireNarrowFit(opened.reader, opened.file, 'sweep'));
