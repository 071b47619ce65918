/** Tells whether the built console belongs to the present sources. */
import * as fs from 'node:fs';
import path from 'node:path';
import { hashFiles, readRecord } from './build-record.js';

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

/** Hash of all sources. */
export function hashSources(root) {
  return hashFiles(
    root,
    SOURCES.flatMap((source) => filesBelow(root, source)),
  );
}

/** Whether console/dist was built from the present sources. */
export function isConsoleBuilt(root) {
  return readRecord(path.join(root, CONSOLE_DIST))?.sources === hashSources(root);
}

/** Whether console/dist was built from other sources. False when there is no build, or when sources are gone. */
export function isConsoleOutdated(root) {
  try {
    return readRecord(path.join(root, CONSOLE_DIST)) !== undefined && !isConsoleBuilt(root);
  } catch {
    return false;
  }
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
