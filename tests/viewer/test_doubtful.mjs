import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openedReport } from './support/opened_report.mjs';
import { requireNarrowFit } from './support/reader.mjs';

// A stiff dumb-bell at ten steps a turn: its energy comes from the steps.
const dumbBell = `name: dumb-bell
system:
  vertices: [[-0.5, 0, 0], [0.5, 0, 0]]
  mass: 1
  velocities: [[0, -3.14159265, 0], [0, 3.14159265, 0]]
  springs: {edges: [[0, 1]], stiffness: 10000, rest_length: 0.998026}
simulation: {integrator: imex_midpoint, time_step: 0.1, duration: 10}
`;

const opened = openedReport('run', (place) => {
  place.write('dumb-bell.yaml', dumbBell);
  place.run(['simulate', 'dumb-bell.yaml', '--out', 'run', '--report']);
});

const colors = (selector) =>
  opened.page.locator(selector).evaluate((shown) => {
    const { color, backgroundColor } = getComputedStyle(shown);
    return { color, backgroundColor };
  });

test('it says so in amber, with the remedy, and is not green', async () => {
  assert.equal(opened.place.json('run/summary.json').status, 'doubtful');
  assert.equal(await opened.page.locator('header .badge').textContent(), 'doubtful');
  assert.deepEqual(await colors('header .badge'), { color: 'rgb(122, 82, 0)', backgroundColor: 'rgb(251, 239, 201)' });
  assert.equal((await colors('.explanation')).color, 'rgb(122, 82, 0)');
  assert.match(await opened.page.locator('.explanation').textContent(), /reduce simulation.time_step/);
  await opened.reader.keep(opened.page, 'doubtful-light');
  opened.reader.requireCalm();
});

test('it fits a telephone', () => requireNarrowFit(opened.reader, opened.file, 'doubtful'));
