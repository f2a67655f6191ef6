// The viewer's own tests of its parts, run by vitest.

import { spawnSync } from 'node:child_process';
import { viewer } from './support/needs.mjs';

process.exit(spawnSync('npm', ['test', '--silent'], { cwd: viewer, stdio: 'inherit' }).status ?? 1);
