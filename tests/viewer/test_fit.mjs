import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, picture, requireColors, requirePictureFollowsTime, requirePlayback } from './support/motion.mjs';
import { openedReport } from './support/opened_report.mjs';
import { inRepository } from './support/program.mjs';
import { kindsShown, requireNarrowFit } from './support/reader.mjs';

const opened = openedReport('demo', (place) => {
  place.run(['fit', inRepository('experiments/demo/charged-net.yaml'), '--out', 'demo', '--halve-step', '--report']);
});

test('it opens from disk, shows every section and asks for nothing', async () => {
  const kinds = await kindsShown(opened.page);
  for (const kind of ['summary', 'parameters', 'corner', 'motion', 'panels', 'plot', 'heatmap', 'experiment'])
    assert.ok(kinds.includes(kind), `no ${kind} in ${kinds.join(', ')}`);
  assert.deepEqual(kinds.filter((kind) => kind.includes(' ')), []);
  await opened.reader.keep(opened.page, 'fit-light');
  opened.reader.requireCalm();
});

test('the numbers shown are those of fit.json', async () => {
  const shown = await opened.page.locator('section[data-kind=parameters] [data-value]').evaluateAll((cells) =>
    cells.map((cell) => JSON.parse(cell.dataset.value)),
  );
  const fit = opened.place.json('demo/fit.json');
  assert.equal(fit.parameters.length, 2);
  for (const { name, initial, estimate, standard_error, interval } of fit.parameters) {
    for (const number of [initial, estimate, standard_error, ...interval])
      assert.ok(shown.includes(number), `${name}: ${number} is not among ${shown.join(', ')}`);
  }
  for (const { name, change_in_standard_errors: change } of fit.halved_step.parameters)
    assert.ok(shown.includes(change), `${name}: ${change} is not among ${shown.join(', ')}`);
});

test('the headline says what was found', async () => {
  const words = await opened.page.locator('.explanation').textContent();
  assert.match(words, /^The fit converged after \d+ iterations and fits: misfit [\d.]+ mm, [\d.]+ × the noise, reduced χ² [\d.]+\. charge 59\.\d+\(\d+\) nC, stiffness [\d.]+\(\d+\) N\/m\.$/);
});

test('the tracks are those of the marker that is picked', async () => {
  const section = opened.page.locator('section[data-kind=panels]').first();
  const pictures = () => section.locator('canvas').evaluateAll((all) => all.map((canvas) => canvas.toDataURL()));
  const first = await pictures();
  assert.equal(first.length, 6); // x, y, z and their differences
  await section.locator('select').selectOption({ index: 5 });
  await drawn(opened.page);
  const other = await pictures();
  assert.equal(other.length, 6);
  other.forEach((picture, k) => assert.ok(picture !== first[k], `panel ${k} looks the same`));
  await section.locator('select').selectOption({ index: 0 });
  await drawn(opened.page);
  assert.deepEqual(await pictures(), first);
  assert.match(await section.locator('canvas').nth(1).getAttribute('aria-label'), /band ± 2 σ from/);
  opened.reader.requireCalm();
});

test('the motion plays with its recording', async () => {
  await requirePictureFollowsTime(opened.page);
  await requirePlayback(opened.page);
});

test('markers and residuals can be hidden', async () => {
  await opened.page.evaluate(() => window.pithball.motion.show(1));
  for (const layer of ['Markers', 'Residual lines', 'Field arrows']) {
    const box = opened.page.locator('.motion').first().getByRole('checkbox', { name: layer });
    const earlier = await picture(opened.page);
    await box.click();
    await drawn(opened.page);
    assert.ok((await picture(opened.page)) !== earlier, layer);
    await box.click();
  }
});

test('the fitted charge can be seen as a color', async () => {
  const pictures = await requireColors(opened.page);
  assert.ok(pictures.has('charge'), [...pictures.keys()].join(', '));
});

test('it can be dark', async () => {
  await opened.page.evaluate(() => window.pithball.theme('dark'));
  await opened.reader.keep(opened.page, 'fit-dark');
  opened.reader.requireCalm();
});

test('it fits a telephone', () => requireNarrowFit(opened.reader, opened.file, 'fit'));
