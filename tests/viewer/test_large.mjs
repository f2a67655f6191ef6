import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requirePictureFollowsTime } from './support/motion.mjs';
import { openedReport } from './support/opened_report.mjs';
import { kindsShown } from './support/reader.mjs';

// A net of so many by so many cells.
const cells = Number(process.argv[2]);
const particles = (cells + 1) ** 2;
const mostBytes = 1e6 + 2900 * particles; // the page itself, and 250 frames of each particle

const experiment = `name: sheet
system:
  mesh:
    grid: {size: [1, 1], segments: [${cells}, ${cells}]}
    rotate: {axis: [1, 0, 0], angle: 80 degrees}
  mass: {total: 150 g}
  pinned: [top_left, top_right]
  springs: {stiffness: 20, damping: 1e-4}
forces:
  - gravity: [0, 0, -9.81]
  - drag: {linear: 1e-6}
simulation: {integrator: velocity_verlet, time_step: 0.5 ms, duration: 2.5}
output: {every: 10}
`;

const opened = openedReport('sheet', (place) => {
  place.write('sheet.yaml', experiment);
  place.run(['simulate', 'sheet.yaml', '--out', 'sheet', '--report', '--quiet']);
});

test('the report is small', () => {
  const bytes = opened.place.size('sheet/report.html');
  console.log(`report of ${particles} particles: ${(bytes / 1e6).toFixed(1)} MB`);
  assert.ok(bytes < mostBytes);
});

test('it opens within seconds', async () => {
  const begin = Date.now();
  const again = await opened.reader.open(opened.file);
  const seconds = (Date.now() - begin) / 1000;
  console.log(`opens in ${seconds.toFixed(1)} s`);
  await again.context().close();
  assert.ok(seconds < 30);
});

test('it plays without a stop', async () => {
  assert.deepEqual(await kindsShown(opened.page), ['summary', 'motion', 'plot', 'plot', 'experiment']);
  await requirePictureFollowsTime(opened.page);
  await opened.page.locator('.motion').getByRole('button', { name: 'Play', exact: true }).click();
  const frames = await opened.page.evaluate(
    () =>
      new Promise((done) => {
        const times = [];
        const tick = (now) => {
          times.push(now);
          if (now - times[0] < 3000) requestAnimationFrame(tick);
          else done(times);
        };
        requestAnimationFrame(tick);
      }),
  );
  const each = (frames.at(-1) - frames[0]) / (frames.length - 1);
  console.log(`${each.toFixed(0)} ms for each frame drawn while playing, without a graphics card`);
  assert.ok(each < 1000, `${each} ms`);
  await opened.reader.keep(opened.page, `large-${particles}-light`);
  opened.reader.requireCalm();
});
