/**
 * Deletes from node_modules what nothing reads: the C headers beside the pinned Node, and in a production install the source
 * maps and the type declarations of all packages (docs/decisions/0088-install-only-what-runs.md). npm runs it after an
 * install; `npm start` and `npm test` run it too, for installs with --ignore-scripts. Plain JavaScript, because it may run on
 * any installed Node (>= 20).
 */
import * as fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasSomeDev, installRecord, RUNTIME_PACKAGE } from './installed-packages.js';

/** Only debuggers and compilers read these. */
export const FOR_DEVELOPMENT = /\.(?:map|d\.[cm]?ts)$/;

/** Says which install was trimmed; npm deletes it with the rest of node_modules. */
const DONE = '.trimmed.json';

/** Does nothing when nothing is installed, or when this install was trimmed before. Running it twice at once is safe. */
export function trimInstalled(root) {
  const modules = path.join(root, 'node_modules');
  const installedAt = fs.statSync(installRecord(root), { throwIfNoEntry: false })?.mtimeMs;
  if (installedAt === undefined || readDone(modules) === installedAt) return;
  for (const name of fs.readdirSync(modules).filter((entry) => RUNTIME_PACKAGE.test(entry)))
    fs.rmSync(path.join(modules, name, 'include'), { recursive: true, force: true });
  if (!hasSomeDev(root)) removeFiles(modules, FOR_DEVELOPMENT);
  fs.writeFileSync(path.join(modules, DONE), JSON.stringify({ installedAt }));
}

function readDone(modules) {
  try {
    return JSON.parse(fs.readFileSync(path.join(modules, DONE), 'utf8')).installedAt;
  } catch {
    return undefined;
  }
}

/** Links are not followed: they lead to the folders of this project. */
function removeFiles(folder, pattern) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) removeFiles(place, pattern);
    else if (entry.isFile() && pattern.test(entry.name)) fs.rmSync(place, { force: true });
  }
}

if (process.argv[1] !== undefined && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  trimInstalled(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
}
