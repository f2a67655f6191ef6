import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { netExample } from '../../dev/examples/motion';
import { pack } from '../../dev/pack';
import type { ProgramInterface } from '../../src/program_interface';
import { browserProgram, ReportBrowser } from './report_browser';

declare const window: Window & { pithball: ProgramInterface };

const net = { kind: 'motion', content: netExample() };
const time = async (page: Page) => (await page.locator('.motion-time').first().textContent())!.replaceAll('\u00a0', ' ');
const playButton = (page: Page) => page.locator('.motion-play').first().getAttribute('aria-label');

/** What is drawn, as text: equal pictures give equal text. */
const drawn = (page: Page) => page.evaluate(() => document.querySelector('canvas')!.toDataURL());

/** After everything that was asked for is drawn. */
const settled = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** How many drawings there are while something is done. */
function countDrawings(page: Page, ask: string): Promise<number> {
  return page.evaluate(async (ask) => {
    const prototype = WebGL2RenderingContext.prototype;
    const original = prototype.drawArrays;
    let count = 0;
    prototype.drawArrays = function (...parameters) {
      ++count;
      return original.apply(this, parameters);
    };
    await new Function(`return (async () => { ${ask} })()`)();
    prototype.drawArrays = original;
    return count;
  }, ask);
}

describe.skipIf(!browserProgram)('motion in a browser', { timeout: 60_000 }, () => {
  let browser: ReportBrowser;
  let page: Page;

  beforeAll(async () => {
    browser = await ReportBrowser.start();
    page = await browser.open([net]);
  }, 120_000);
  afterAll(() => browser?.stop());

  it('show: draws that instant before it returns', async () => {
    const pictures = await page.evaluate(() =>
      [0.2, 3, 0.2].map((t) => {
        window.pithball.motion!.show(t);
        return document.querySelector('canvas')!.toDataURL();
      }),
    );
    expect(pictures[0]).not.toBe(pictures[1]);
    expect(pictures[2]).toBe(pictures[0]);
    expect(await time(page)).toContain('0.20 s');
  });

  it('show: is held within the run', async () => {
    await page.evaluate(() => window.pithball.motion!.show(1e9));
    expect(await time(page)).toContain('4.00 s of 4.00 s');
  });

  it('color: takes every name it offers, and another one tells them', async () => {
    const pictures = await page.evaluate(() =>
      window.pithball.motion!.colors.map((name) => {
        window.pithball.motion!.color(name);
        return [name, document.querySelector('canvas')!.toDataURL()] as const;
      }),
    );
    const of = Object.fromEntries(pictures);
    expect(of.speed).not.toBe(of.strain);
    expect(of.strain).not.toBe(of.stiffness);
    expect(await page.locator('.motion-color-key').textContent()).toContain('estimate of charge');
    await expect(page.evaluate(() => window.pithball.motion!.color('taste'))).rejects.toThrow('there are speed, strain');
  });

  it('theme: draws the picture anew', async () => {
    const light = await drawn(page);
    await page.evaluate(() => window.pithball.theme('dark'));
    expect(await drawn(page)).not.toBe(light);
    await page.evaluate(() => window.pithball.theme('light'));
    expect(await drawn(page)).toBe(light);
  });

  it('nothing changes: nothing is drawn', async () => {
    await settled(page);
    expect(await countDrawings(page, 'await new Promise((done) => setTimeout(done, 400))')).toBe(0);
    expect(await countDrawings(page, 'window.pithball.motion.show(1)')).toBeGreaterThan(0);
  });

  it('opening: draws the picture once', async () => {
    const opened = await browser.open([net]);
    await opened.addInitScript(() => {
      const prototype = WebGL2RenderingContext.prototype;
      const clear = prototype.clear;
      Object.assign(window, { drawings: 0 });
      prototype.clear = function (mask) {
        ++(window as unknown as { drawings: number }).drawings;
        clear.call(this, mask);
      };
    });
    await opened.reload();
    await opened.evaluate(() => window.pithball.ready);
    await settled(opened);
    expect(await opened.evaluate(() => (window as unknown as { drawings: number }).drawings)).toBe(1);
    await opened.close();
  });

  it('more than a million springs: are drawn when they are asked for, or color the picture', async () => {
    const count = 1_000_001;
    const springs = {
      pairs: pack('uint32', [count, 2], new Uint32Array(2 * count).map((_, i) => i % 2)),
      rest_length: pack('float32', [count], new Float32Array(count).fill(1)),
    };
    const content = { ...netExample(), springs, quantities: [] };
    const large = await browser.open([{ kind: 'motion', content }]);
    const box = large.getByRole('checkbox', { name: 'Springs', exact: true });
    expect(await box.isChecked()).toBe(false);
    expect(await large.locator('.motion').textContent()).toContain('springs are hidden at first');
    const without = await drawn(large);
    await box.click();
    await settled(large);
    expect(await drawn(large)).not.toBe(without);
    await box.click();
    await large.evaluate(() => window.pithball.motion!.color('strain'));
    expect(await box.isChecked()).toBe(true);
    expect(await drawn(large)).not.toBe(without);
    await large.evaluate(() => window.pithball.motion!.color('speed'));
    await box.click();
    await large.evaluate(() => window.pithball.motion!.view(640, 480));
    expect(await box.isChecked()).toBe(true);  // pictures of the page show them
    await large.close();
  });

  it('keys on the slider: go from frame to frame, and to the end', async () => {
    await page.evaluate(() => window.pithball.motion!.show(0));
    await page.locator('.motion-scrubber').focus();
    for (let i = 0; i < 3; ++i) await page.keyboard.press('ArrowRight');
    expect(await time(page)).toContain('0.06 s');
    await page.keyboard.press('ArrowLeft');
    expect(await time(page)).toContain('0.04 s');
    await page.keyboard.press('End');
    expect(await page.locator('.motion-scrubber').getAttribute('aria-valuetext')).toBe('4.00\u00a0s');
  });

  it('keys on the picture: turn, zoom and reset the view; space plays, and the pause tells its time', async () => {
    await page.evaluate(() => window.pithball.motion!.show(1));
    const home = await drawn(page);
    await page.locator('.motion-picture').focus();
    for (const key of ['ArrowLeft', 'ArrowUp', '+']) {
      const before = await drawn(page);
      await page.keyboard.press(key);
      await settled(page);
      expect(await drawn(page), key).not.toBe(before);
    }
    await page.keyboard.press('Home');
    await settled(page);
    expect(await drawn(page)).toBe(home);
    await page.keyboard.press('Space');
    expect(await playButton(page)).toBe('Pause');
    await page.waitForFunction(() => !document.querySelector('.motion-time')!.textContent!.startsWith('1.00'));
    await page.keyboard.press('Space');
    expect(await playButton(page)).toBe('Play');
    await page.waitForFunction(() => document.querySelector('.motion-announcer')!.textContent!.startsWith('Paused at'));
  });

  it('the wheel: scrolls the page until the picture has the focus', async () => {
    const box = (await page.locator('.motion-stage').boundingBox())!;
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const before = await drawn(page);
    await page.mouse.wheel(0, 60);
    await page.waitForFunction(() => window.scrollY > 0);
    expect(await drawn(page)).toBe(before);
    await page.evaluate(() => window.scrollTo(0, 0));
  });

  it('layers: are shown and hidden', async () => {
    for (const name of ['Springs', 'Point charges', 'Field arrows', 'Markers', 'Floor']) {
      const before = await drawn(page);
      await page.getByRole('checkbox', { name, exact: true }).click();
      await settled(page);
      expect(await drawn(page), name).not.toBe(before);
      await page.getByRole('checkbox', { name, exact: true }).click();
      await settled(page);
      expect(await drawn(page), name).toBe(before);
    }
  });

  it('readers who prefer rest: nothing plays by itself; for others it plays once it is seen', async () => {
    const resting = await browser.open([net]);
    await resting.waitForTimeout(600);
    expect(await time(resting)).toContain('0.00 s of');
    await resting.close();
    const playing = await browser.open([net], { reducedMotion: 'no-preference' });
    await playing.waitForFunction(() => !document.querySelector('.motion-time')!.textContent!.startsWith('0.00'));
    await playing.close();
  });

  it('a program that shows an instant: is not disturbed by playing', async () => {
    const shown = await browser.open([net], { reducedMotion: 'no-preference' });
    await shown.evaluate(() => window.pithball.motion!.show(0));
    await shown.waitForTimeout(600);
    expect(await playButton(shown)).toBe('Play');
    await shown.close();
  });

  it('view: leaves the picture and its legend, as large as asked for', async () => {
    const alone = await browser.open([net], { viewport: { width: 640, height: 480 } });
    await alone.evaluate(() => window.pithball.motion!.view(640, 480));
    expect(await alone.locator('.motion-stage').boundingBox()).toEqual({ x: 0, y: 0, width: 640, height: 480 });
    expect(await alone.locator('canvas').evaluate((canvas: HTMLCanvasElement) => [canvas.width, canvas.height])).toEqual([640, 480]);
    const top = (x: number, y: number) =>
      alone.evaluate(([x, y]) => document.elementFromPoint(x!, y!)!.closest('.motion-picture') !== null, [x, y]);
    for (const [x, y] of [[1, 1], [638, 1], [1, 478], [638, 478], [320, 240]] as const) expect(await top(x, y)).toBe(true);
    await alone.close();
  });

  it('twenty motions: share a handful of contexts, and the one on screen is drawn', async () => {
    const many = await browser.open(Array.from({ length: 20 }, () => net));
    for (const i of [19, 10, 0]) {
      const stage = many.locator('.motion-stage').nth(i);
      await stage.scrollIntoViewIfNeeded();
      await stage.locator('canvas').waitFor();
      expect(await many.locator('canvas').count()).toBeLessThanOrEqual(6);
    }
    await many.close();
  });

  it('no WebGL: a sentence says so, and the rest of the page is there', async () => {
    const plain = await ReportBrowser.start(['--disable-gpu', '--disable-3d-apis']);
    const without = await plain.open([net, { kind: 'table', content: { title: 'Others', columns: [{ label: 'a' }], rows: [[1]] } as never }]);
    expect(await without.locator('.display').first().textContent()).toContain('no WebGL');
    expect(await without.locator('table').count()).toBe(1);
    expect(await without.evaluate(() => window.pithball.motion)).toBeNull();
    await plain.stop();
  });
});
