import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparison, experiment, summary } from '../../dev/examples/fit';
import { netExample } from '../../dev/examples/motion';
import { cost, divergence, scans } from '../../dev/examples/plots';
import { browserProgram, ReportBrowser } from './report_browser';

const longExperiment = { ...experiment, yaml: experiment.yaml.repeat(5) };

describe.skipIf(!browserProgram)('page in a browser', { timeout: 60_000 }, () => {
  let browser: ReportBrowser;
  let page: Page;
  const messages: string[] = [];

  beforeAll(async () => {
    browser = await ReportBrowser.start();
    page = await browser.open([
      { kind: 'summary', content: summary },
      { kind: 'motion', content: netExample() },
      { kind: 'table', content: comparison },
      { kind: 'plot', content: cost },
      { kind: 'plot', content: divergence },
      ...scans.map((content) => ({ kind: 'heatmap', content })),
      { kind: 'experiment', content: longExperiment },
    ]);
    page.on('console', (message) => messages.push(message.text()));
  }, 120_000);
  afterAll(() => browser?.stop());

  it('summary: five numbers, the rest on request', async () => {
    const own = page.locator('#summary');
    expect(await own.locator('.display > .facts > div').count()).toBe(5);
    expect(await own.locator('details').getAttribute('open')).toBeNull();
  });

  it('table: says that columns follow until the last is in sight, and its first column is the status', async () => {
    await page.setViewportSize({ width: 390, height: 900 });
    const own = page.locator('#comparison');
    await own.locator('.more-right').waitFor();
    expect(await own.locator('.scroll-hint').textContent()).toContain('to the right');
    expect(await own.locator('th').first().textContent()).toBe('status');
    const left = () => own.locator('tbody .names-row').first().evaluate((cell) => cell.getBoundingClientRect().left);
    await own.locator('.scroll').evaluate((box) => box.scrollTo({ left: 1e6, behavior: 'instant' }));
    await own.locator('.more-left').waitFor();
    expect(await own.locator('.more-right').count()).toBe(0);
    expect(await left()).toBeGreaterThanOrEqual(0);
    await page.setViewportSize({ width: 1000, height: 900 });
  });

  it('plot: a line below names the curve that diverged, and a button shows it in full', async () => {
    const own = page.locator('#energy-error-of-four-methods');
    expect(await own.locator('.plot-clip').textContent()).toContain('explicit Euler (to 2.6×10³¹)');
    await own.getByRole('button', { name: 'Show in full' }).click();
    await own.getByRole('button', { name: 'Clip again' }).click();
    expect(await page.locator('#cost .plot-clip').count()).toBe(0);
  });

  it('heat maps of a scan: the same ends of the legend', async () => {
    const ends = (id: string) => page.locator(`#${id} .color-bar [data-value]`).evaluateAll((list) => list.map((e) => e.getAttribute('data-value')));
    const first = await ends('largest-energy-error-leapfrog-at-0-001-s');
    expect(first.length).toBe(2);
    expect(await ends('largest-energy-error-implicit-midpoint-at-0-001-s')).toEqual(first);
  });

  it('particle: found by number, and again by a click where its ring is', async () => {
    const field = page.locator('.motion-picker input');
    await page.locator('.motion-stage').scrollIntoViewIfNeeded();
    await field.fill('10');
    const ring = (await page.locator('.motion-pick-ring').boundingBox())!;
    await field.fill('');
    await page.mouse.click(ring.x + ring.width / 2, ring.y + ring.height / 2);
    expect(await field.inputValue()).toBe('10');
    expect(await page.locator('.motion-picked').textContent()).toMatch(/^Particle 10position .*charge 60\u00a0nC/);
    await page.getByRole('button', { name: 'Deselect' }).click();
    expect(await page.locator('.motion-pick-ring').isVisible()).toBe(false);
  });

  it('paper: folds are open, the theme is light and controls are gone; afterward all is as before', async () => {
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('light');
    expect(await page.locator('#summary details dd').first().isVisible()).toBe(true);
    expect(await page.locator('#cost .as-table td').first().isVisible()).toBe(true);
    expect(await page.locator('#energy-error-of-four-methods .as-table').isVisible()).toBe(false);
    expect(await page.locator('#cost .legend button').isVisible()).toBe(true);
    const [shown, whole] = await page.locator('#experiment pre').evaluate((text) => [text.clientHeight, text.scrollHeight]);
    expect(shown).toBe(whole);
    for (const control of ['.theme', '.motion-playback', '.motion-settings', '.motion-picker', '.scroll-hint', '.contents'])
      expect(await page.locator(control).first().isVisible()).toBe(false);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
    expect(await page.locator('details[open]').count()).toBe(0);
  });

  it('no part of it writes to the console', () => expect(messages).toEqual([]));
});
