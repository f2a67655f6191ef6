import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openedReport } from './support/opened_report.mjs';
import { kindsShown, requireNarrowFit } from './support/reader.mjs';

// Names that would be commands if any part of the way took text for HTML, JSON for JavaScript, or a comment for its end.
const name = '<img src=x onerror=alert(1)>';  // becomes a folder's name, which holds no slash
const group = '--></script><svg/onload=alert(2)>';
const parameter = '"><script>alert(3)</script>';

const experiment = `name: ${JSON.stringify(name)}
# </pre></script><script>alert(4)</script> <!-- pithball:sections -->
system:
  vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
  groups: {${JSON.stringify(group)}: {vertices: [1, 2]}}
  mass: 0.1
  pinned: [0]
  springs: {edges: [[0, 1], [1, 2]], stiffness: 30, damping: 0.1}
forces:
  - gravity: [0, 0, -9.81]
  - drag: {linear: 0.05}
simulation: {integrator: imex_midpoint, time_step: 0.01, duration: 0.5}
fit:
  recordings:
    - {file: tracks.csv, markers: [1, 2]}
  residual: {sigma: 1 mm}
  parameters:
    - stiffness: {share: all, name: ${JSON.stringify(parameter)}}
    - mass: {share: group, groups: [${JSON.stringify(group)}]}
`;

const opened = openedReport('run', (place) => {
  place.write('hostile.yaml', experiment);
  place.run(['record', 'hostile.yaml', '--rate', '50', '--markers', '1,2', '--noise', '1 mm', '--set', 'system.springs.stiffness=20', '--out', 'tracks.csv']);
  place.run(['fit', 'hostile.yaml', '--out', 'run', '--report']);
});

test('nothing of it runs, and every section is shown', async () => {
  assert.deepEqual((await kindsShown(opened.page)).filter((kind) => kind.includes(' ')), []);
  assert.equal(await opened.page.evaluate(() => document.querySelectorAll('img, main script, [onerror], [onload]').length), 0);
  opened.reader.requireCalm();
});

test('its names are shown as they were written', async () => {
  assert.equal(await opened.page.locator('h1').textContent(), name);
  const text = await opened.page.locator('main').textContent();
  for (const words of [group, parameter]) assert.ok(text.includes(words), words);
  await opened.reader.keep(opened.page, 'hostile-light');
});

test('scripts that somebody put into the file do not run: the policy knows the page\'s own by its hash', async () => {
  const report = readFileSync(opened.file, 'utf8');
  const [policy] = /<meta[^>]*"Content-Security-Policy"[^>]*>/.exec(report);
  assert.match(policy, /; script-src 'sha256-[A-Za-z0-9+/]{43}=';/);
  const foreign = '<script>window.foreign = true</script><svg onload="window.foreign = true"></svg>';
  assert.equal(report.split('<body>').length, 2);
  const file = opened.place.write('tampered.html', report.replace('<body>', `<body>${foreign}`));
  const page = await opened.reader.open(file);
  assert.equal(await page.evaluate(() => window.foreign), undefined);
  assert.equal(opened.reader.complaints.filter((text) => text.includes('Content Security Policy')).length, 2);
  await page.context().close();
});

test('it fits a telephone', () => requireNarrowFit(opened.reader, opened.file, 'hostile'));
