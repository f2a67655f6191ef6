// The viewer's own tests of its parts, run by vitest: those that its arguments name, or all.

import { spawnSync } from 'node:child_process';
import { viewer } from './support/needs.mjs';

process.exit(spawnSync('npm', ['test', '--silent', '--', ...process.argv.slice(2)], { cwd: viewer, stdio: 'inherit' }).status ?? 1);
