import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openedReport } from './support/opened_report.mjs';
import { inRepository } from './support/program.mjs';
import { kindsShown, requireNarrowFit } from './support/reader.mjs';

const opened = openedReport('check', (place) => {
  const experiment = inRepository('experiments/configs/torus-release.yaml');
  place.run(['check-gradient', experiment, '--steps', '5', '--out', 'check', '--report']);
});

test('it opens from disk, shows every section and asks for nothing', async () => {
  const kinds = await kindsShown(opened.page);
  for (const kind of ['summary', 'table', 'experiment']) assert.ok(kinds.includes(kind), `no ${kind} in ${kinds.join(', ')}`);
  assert.deepEqual(kinds.filter((kind) => kind.includes(' ')), []);
  await opened.reader.keep(opened.page, 'gradient-light');
  opened.reader.requireCalm();
});

test('it shows the errors of each block exactly', async () => {
  const shown = await opened.page.locator('section[data-kind=table] [data-value]').evaluateAll((cells) =>
    cells.map((cell) => JSON.parse(cell.dataset.value)),
  );
  const blocks = opened.place.json('check/gradient.json').blocks;
  assert.ok(blocks.length > 3);
  for (const block of blocks)
    for (const [key, value] of Object.entries(block))
      if (typeof value === 'number') assert.ok(shown.includes(value), `${block.name} ${key}: ${value}`);
});

test('it fits a telephone', () => requireNarrowFit(opened.reader, opened.file, 'gradient'));
