import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requirePictureFollowsTime } from './support/motion.mjs';
import { openedReport } from './support/opened_report.mjs';
import { inRepository } from './support/program.mjs';
import { kindsShown, requireNarrowFit } from './support/reader.mjs';

const opened = openedReport('torus', (place) => {
  const experiment = inRepository('experiments/configs/torus-release.yaml');
  const unstable = ['--set', 'simulation.integrator=velocity_verlet', '--set', 'simulation.time_step=1', '--set', 'simulation.duration=200'];
  place.run(['simulate', experiment, ...unstable, '--out', 'torus', '--report'], 1);
});

test('it says that the run diverged', async () => {
  assert.equal(opened.place.json('torus/summary.json').status, 'diverged');
  assert.equal(await opened.page.locator('header .badge').textContent(), 'diverged');
  assert.ok(await opened.page.locator('.explanation.bad').isVisible());
});

test('every section is shown, up to where the numbers end', async () => {
  assert.deepEqual(await kindsShown(opened.page), ['summary', 'motion', 'plot', 'plot', 'experiment']);
  await requirePictureFollowsTime(opened.page);
  await opened.reader.keep(opened.page, 'diverged-light');
  opened.reader.requireCalm();
});

test('it fits a telephone', () => requireNarrowFit(opened.reader, opened.file, 'diverged'));
