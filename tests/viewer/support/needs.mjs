// What these tests need besides the program; a test without it is skipped, and says why.

import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/** Ends the test as skipped (ctest: SKIP_RETURN_CODE). */
export function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

/** The value of an environment variable that ctest sets. */
export function setting(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run these tests with ctest -R viewer`);
  return value;
}

export const viewer = setting('PITHBALL_VIEWER');

// The build leaves this when it has fetched all of them.
if (!existsSync(join(viewer, 'node_modules', '.package-lock.sha256')))
  skip('no packages of the viewer: npm or a network was missing when it was built');

if (!existsSync(join(dirname(setting('PITHBALL_PROGRAM')), 'share', 'pithball', 'report.html')))
  skip('no page of reports: npm or a network was missing when it was built');

/** playwright-core, as the viewer's package-lock.json names it. */
export const { chromium } = createRequire(join(viewer, 'package.json'))('playwright-core');

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Debian's Chromium, or the one that CHROMIUM names. */
export function findChromium() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = ['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = [process.env.CHROMIUM, ...places].find((place) => place && isProgram(place));
  return found ?? skip('no program chromium: `third_party/install_packages.sh test` installs it');
}
