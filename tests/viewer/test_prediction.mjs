import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openedReport } from './support/opened_report.mjs';
import { inRepository } from './support/program.mjs';
import { kindsShown, requireNarrowFit } from './support/reader.mjs';

const experiment = inRepository('experiments/demo/charged-net.yaml');
const identified = openedReport('identified', (place) => {
  place.run(['identify', experiment, '--set', 'fit.parameters=[charge, stiffness, mass]', '--out', 'identified', '--report']);
});

test('it opens from disk, shows every section and asks for nothing', async () => {
  const kinds = await kindsShown(identified.page);
  for (const kind of ['summary', 'table', 'plot', 'heatmap', 'panels', 'experiment'])
    assert.ok(kinds.includes(kind), `no ${kind} in ${kinds.join(', ')}`);
  await identified.reader.keep(identified.page, 'identify-light');
  identified.reader.requireCalm();
});

test('the weakest direction is in its first row', async () => {
  const told = identified.place.json('identified/identify.json').singular_values.at(-1).vector;
  const cells = await identified.page.locator('section[data-kind=heatmap] [data-value]').evaluateAll((all) =>
    all.map((cell) => JSON.parse(cell.dataset.value)),
  );
  told.forEach((part, k) => assert.ok(Math.abs(cells[k] - part) <= 0.0005, `${cells[k]} for ${part}`));
});

test('it fits a telephone', () => requireNarrowFit(identified.reader, identified.file, 'identify'));
