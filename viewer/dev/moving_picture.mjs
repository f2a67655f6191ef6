#!/usr/bin/env node
// The moving picture at the head of the README: the motion of a report, without faces, at 0.4 of its speed, as an animated WebP.
//
// usage: moving_picture.mjs REPORT.html FILE.webp     after a build; needs Chromium (or what CHROMIUM names) and ffmpeg

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [report, picture] = process.argv.slice(2);
const width = 1000; // of the page, in its own pixels
const height = 625;
const framesPerSecond = 15;
const seconds = 5;

const { chromium } = createRequire(resolve('build/release/viewer/package.json'))('playwright-core');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--force-color-profile=srgb', '--hide-scrollbars'],
  timeout: 0,
});
const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: 1.44, reducedMotion: 'reduce' });
page.setDefaultTimeout(0);
await page.goto(pathToFileURL(resolve(report)).href);
await page.evaluate(() => window.pithball.ready);
await page.evaluate(() => window.pithball.theme('dark'));
await page.locator('.motion').first().getByLabel('Faces').uncheck();
await page.evaluate(([w, h]) => window.pithball.motion.view(w, h), [width, height]);

const encode = '-f image2pipe -c:v png -i pipe:0 -vf scale=720:-1:flags=lanczos -c:v libwebp_anim -quality 70 -compression_level 6 -loop 0';
const ffmpeg = spawn('ffmpeg', ['-loglevel', 'error', '-y', '-framerate', framesPerSecond, ...encode.split(' '), picture], {
  stdio: ['pipe', 'inherit', 'inherit'],
});
const ended = once(ffmpeg, 'exit');
const frames = framesPerSecond * seconds;
for (let frame = 0; frame < frames; ++frame) {
  await page.evaluate((part) => {
    const { start, end, show } = window.pithball.motion;
    show(start + part * (end - start));
  }, frame / frames);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  ffmpeg.stdin.write(await page.screenshot());
  process.stdout.write(`\r${frame + 1} of ${frames} frames`);
}
ffmpeg.stdin.end();
const [status] = await ended;
await browser.close();
console.log(status === 0 ? `, written to ${picture}` : ', but ffmpeg failed');
process.exitCode = status;
