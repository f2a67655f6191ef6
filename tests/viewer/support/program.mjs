// Runs the real program in a folder of its own, as a user would.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setting } from './needs.mjs';

/** A file of this repository by its path there. */
export const inRepository = (path) => resolve(dirname(fileURLToPath(import.meta.url)), '../../..', path);

/** An empty folder for one test, removed at its end. */
export class Workplace {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'pithball-viewer-'));
    process.on('exit', () => rmSync(this.folder, { recursive: true, force: true }));
  }

  file(name) {
    return join(this.folder, name);
  }

  write(name, text) {
    writeFileSync(this.file(name), text);
    return this.file(name);
  }

  json(name) {
    return JSON.parse(readFileSync(this.file(name), 'utf8'));
  }

  size(name) {
    return statSync(this.file(name)).size;
  }

  /** Runs `pithball`, which has to end with `status`; returns what it printed. */
  run(words, status = 0) {
    const result = spawnSync(setting('PITHBALL_PROGRAM'), words, { cwd: this.folder, encoding: 'utf8' });
    assert.equal(result.status, status, `pithball ${words.join(' ')}\n${result.stdout}${result.stderr}`);
    return result.stdout;
  }
}
