import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, requireColors, requirePictureFollowsTime, requirePlayback, requireTurning } from './support/motion.mjs';
import { openedReport } from './support/opened_report.mjs';
import { inRepository } from './support/program.mjs';
import { kindsShown, requireNarrowFit } from './support/reader.mjs';

const opened = openedReport('torus', (place) => {
  const experiment = inRepository('experiments/configs/torus-release.yaml');
  place.run(['simulate', experiment, '--set', 'simulation.duration=6', '--out', 'torus', '--report']);
});

test('it opens from disk, shows every section and asks for nothing', async () => {
  assert.deepEqual(await kindsShown(opened.page), ['summary', 'motion', 'plot', 'plot', 'experiment']);
  await opened.reader.keep(opened.page, 'simulation-light');
  opened.reader.requireCalm();
});

test('the picture follows the time', () => requirePictureFollowsTime(opened.page));

test('button, space and arrow keys move the clock', () => requirePlayback(opened.page));

test('arrow keys turn the picture', () => requireTurning(opened.page));

test('colors change with the list', async () => {
  const pictures = await requireColors(opened.page);
  for (const name of ['speed', 'strain', 'charge']) assert.ok(pictures.has(name), `no coloring ${name}`);
  assert.equal(new Set(pictures.values()).size, pictures.size, `of ${[...pictures.keys()].join(', ')} some look the same`);
});

test('the plots follow the motion', async () => {
  const legend = opened.page.locator('section[data-kind=plot]').first();
  await opened.page.evaluate(() => window.pithball.motion.show(window.pithball.motion.start));
  const first = await legend.textContent();
  await opened.page.evaluate(() => window.pithball.motion.show(window.pithball.motion.end));
  await drawn(opened.page);
  assert.notEqual(await legend.textContent(), first);
});

test('it can be dark', async () => {
  const background = () => opened.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await opened.page.getByRole('button', { name: 'Switch between light and dark' }).click();
  assert.notEqual(await background(), light);
  await opened.reader.keep(opened.page, 'simulation-dark');
  opened.reader.requireCalm();
});

test('it fits a telephone', () => requireNarrowFit(opened.reader, opened.file, 'simulation'));

test('it plays by itself once it is seen, unless the reader wants rest', async () => {
  const lively = await opened.reader.open(opened.file, { still: false });
  await lively.locator('.motion canvas').scrollIntoViewIfNeeded();
  await lively.waitForFunction(() => parseFloat(document.querySelector('.motion-time').textContent) > 0);
  await lively.context().close();
});
