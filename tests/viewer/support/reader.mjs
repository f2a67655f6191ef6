// A reader of reports: opens pages from disk in Chromium and notices everything that goes wrong there.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, findChromium, setting } from './needs.mjs';

// Looked for before any test runs: one that has failed must not end as skipped.
const executablePath = findChromium();

const screenshots = setting('PITHBALL_SCREENSHOTS');
mkdirSync(screenshots, { recursive: true });

/** Chromium itself says these about drawing without a graphics card; they are not the page's. */
const ofSoftwareDrawing = /GPU stall|Automatic fallback to software|GroupMarkerNotSet/;

export class Reader {
  /** Opens no page yet. */
  static async start() {
    const reader = new Reader();
    reader.browser = await chromium.launch({
      executablePath,
      chromiumSandbox: process.getuid() !== 0,
      args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-dev-shm-usage'],
    });
    return reader;
  }

  /** Opens a report and waits until it is drawn; complaints and requests are collected from the first byte on. */
  async open(file, { width = 1280, height = 800, still = true, ...rest } = {}) {
    const context = await this.browser.newContext({
      viewport: { width, height },
      reducedMotion: still ? 'reduce' : 'no-preference',
      ...rest,
    });
    const page = await context.newPage();
    this.complaints = [];
    this.requests = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !ofSoftwareDrawing.test(message.text()))
        this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('dialog', (dialog) => {
      this.complaints.push(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on('request', (request) => this.requests.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    await page.evaluate(() => window.pithball.ready);
    return page;
  }

  /** The page drew everything, said nothing, and asked for nothing but itself. */
  requireCalm() {
    assert.deepEqual(this.complaints, []);
    assert.deepEqual(this.requests.slice(1).filter((url) => !/^(data|blob):/.test(url)), []);
    assert.match(this.requests[0], /^file:/);
  }

  /** A picture of the whole page among the results of the tests. */
  async keep(page, name) {
    await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
  }

  async close() {
    await this.browser.close();
  }
}

/** Kinds of the page's sections in order; each has its heading and is drawn, not replaced by a problem. */
export async function kindsShown(page) {
  return page.evaluate(() =>
    window.pithball.sections.map(({ id, kind, title }) => {
      const section = document.getElementById(id);
      const drawn = section?.querySelector('.display')?.childElementCount > 0 && !section.querySelector('.problem');
      const titled = section?.querySelector('h2')?.textContent === title;
      return drawn && titled ? kind : `${kind} "${title}" is not shown`;
    }),
  );
}

/** Nothing sticks out of a telephone's width, in light and in dark; keeps a picture of each. */
export async function requireNarrowFit(reader, file, name) {
  const page = await reader.open(file, { width: 360, height: 740 });
  for (const theme of ['light', 'dark']) {
    await page.evaluate((chosen) => window.pithball.theme(chosen), theme);
    const { width, widest } = await page.evaluate(() => ({
      width: document.documentElement.clientWidth,
      widest: document.documentElement.scrollWidth,
    }));
    assert.ok(widest <= width, `${name}: ${widest} px in a window of ${width} px`);
    await reader.keep(page, `${name}-360px-${theme}`);
  }
  reader.requireCalm();
  await page.context().close();
}
