import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, picture, requireColours, requirePictureFollowsTime, requirePlayback } from './support/motion.mjs';
import { openedReport } from './support/opened_report.mjs';
import { inRepository } from './support/program.mjs';
import { kindsShown, requireNarrowFit } from './support/reader.mjs';

const opened = openedReport('demo', (place) => {
  place.run(['fit', inRepository('experiments/demo/charged-net.yaml'), '--out', 'demo', '--halve-step', '--report']);
});

test('it opens from disk, shows every section and asks for nothing', async () => {
  const kinds = await kindsShown(opened.page);
  for (const kind of ['summary', 'parameters', 'motion', 'plot', 'heatmap', 'experiment'])
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

test('the fitted charge can be seen as a colour', async () => {
  const pictures = await requireColours(opened.page);
  assert.ok(pictures.has('charge'), [...pictures.keys()].join(', '));
});

test('it can be dark', async () => {
  await opened.page.evaluate(() => window.pithball.theme('dark'));
  await opened.reader.keep(opened.page, 'fit-dark');
  opened.reader.requireCalm();
});

test('it fits a telephone', () => requireNarrowFit(opened.reader, opened.file, 'fit'));
