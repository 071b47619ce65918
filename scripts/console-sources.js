/**
 * Tells whether the built console belongs to the present sources. It compares a hash of their content, because a git
 * checkout sets arbitrary times. Plain JavaScript, because it also runs on the Node that started npm.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';

/** Everything that the build reads: the app, what it imports, how it is built, and the versions of its packages. */
const SOURCES = [
  'console/app',
  'console/assets/tokens.css',
  'client/index.ts',
  'errors/codes.ts',
  'mcp/views.ts',
  'scripts/build-chat-views.ts',
  'scripts/build-console.ts',
  'scripts/console-vite.ts',
  'package-lock.json',
];

/** Folder of the build. */
export const CONSOLE_DIST = 'console/dist';

/** File of the build that names the sources. */
const RECORD = 'sources.json';

/** Hash of all sources. Line ends do not count, because git may convert them. */
export function hashSources(root) {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap((source) => filesBelow(root, source))) {
    const text = fs.readFileSync(path.join(root, file), 'utf8').replaceAll('\r\n', '\n');
    hash.update(`${file}\0${text.length}\0${text}`);
  }
  return hash.digest('hex');
}

/** Whether console/dist was built from the present sources. */
export function isConsoleBuilt(root) {
  try {
    const record = JSON.parse(fs.readFileSync(path.join(root, CONSOLE_DIST, RECORD), 'utf8'));
    return record.sources === hashSources(root);
  } catch {
    return false;
  }
}

/** Writes which sources a build belongs to. Call it last: a build without this file is incomplete. */
export function recordSources(folder, sources) {
  fs.writeFileSync(path.join(folder, RECORD), JSON.stringify({ sources }));
}

/** The files of a source, sorted, with forward slashes. */
function filesBelow(root, source) {
  const place = path.join(root, source);
  if (!fs.statSync(place).isDirectory()) return [source];
  return fs
    .readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .toSorted();
}
