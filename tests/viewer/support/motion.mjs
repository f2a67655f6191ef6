// What holds for every motion on a page.

import assert from 'node:assert/strict';

/** The first motion's canvas, as bytes that are equal where the picture is. */
export const picture = (page) => page.evaluate(() => document.querySelector('.motion canvas').toDataURL());

/** Waits until what has changed is drawn. */
export const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** The page's own clock, as the reader sees it. */
const clock = async (page) => parseFloat(await page.locator('.motion-time').first().textContent());

/** Waits until the clock has gone on from a time. */
const clockPasses = (page, time) =>
  page.waitForFunction((before) => parseFloat(document.querySelector('.motion-time').textContent) > before, time);

/** Another instant is another picture, and the same instant the same one. */
export async function requirePictureFollowsTime(page) {
  const at = async (part) => {
    await page.evaluate((share) => {
      const { start, end, show } = window.pithball.motion;
      show(start + share * (end - start));
    }, part);
    return picture(page);
  };
  const [first, middle, again] = [await at(0), await at(0.5), await at(0)];
  assert.ok(middle !== first, 'another instant looks the same');
  assert.ok(again === first, 'the same instant looks different');
}

/** The button and the space key start and stop the clock; the arrow keys step from frame to frame. */
export async function requirePlayback(page) {
  const motion = page.locator('.motion').first();
  await page.evaluate(() => window.pithball.motion.show(window.pithball.motion.start));
  const begin = await clock(page);
  const speed = motion.getByTitle('Seconds of motion for each second');
  const usual = await speed.inputValue();
  await speed.selectOption({ index: 0 }); // the slowest: it must not end meanwhile
  await motion.getByRole('button', { name: 'Play', exact: true }).click();
  await clockPasses(page, begin);
  await motion.getByRole('button', { name: 'Pause', exact: true }).click();
  const played = await clock(page);

  await motion.locator('.motion-picture').focus();
  await page.keyboard.press(' ');
  await clockPasses(page, played);
  await page.keyboard.press(' ');
  const further = await clock(page);
  await page.waitForTimeout(200);
  assert.equal(await clock(page), further, 'space does not pause');
  await speed.selectOption(usual);

  await page.evaluate(() => window.pithball.motion.show(window.pithball.motion.start));
  await motion.getByRole('slider', { name: 'Time' }).focus();
  await page.keyboard.press('ArrowRight');
  const next = await clock(page);
  assert.ok(next > begin, 'the arrow key does not step');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await clock(page), begin);
}

/** The arrow keys turn the picture, and Home turns it back. */
export async function requireTurning(page) {
  const motion = page.locator('.motion').first();
  await motion.locator('.motion-picture').focus();
  await drawn(page); // what an earlier test has changed
  const before = await picture(page);
  await page.keyboard.press('ArrowRight');
  await drawn(page);
  assert.ok((await picture(page)) !== before, 'the arrow key does not turn it');
  await page.keyboard.press('Home');
  await drawn(page);
  assert.ok((await picture(page)) === before, 'Home does not turn it back');
}

/** Every entry of the list "Color by" gives another picture; returns their names. */
export async function requireColors(page) {
  const list = page.locator('.motion').first().getByLabel('Color by');
  const names = await page.evaluate(() => window.pithball.motion.colors);
  const pictures = new Map();
  for (const name of names) {
    await list.selectOption(name);
    await drawn(page);
    pictures.set(name, await picture(page));
  }
  await list.selectOption(names[0]);
  return pictures;
}
