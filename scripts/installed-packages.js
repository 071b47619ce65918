/** Reads what npm has installed. Plain JavaScript, because it also runs on the Node that started npm. */
import * as fs from 'node:fs';
import path from 'node:path';

/** The packages with the pinned runtime, one per platform, are optional: npm installs the one that fits. */
export const RUNTIME_PACKAGE = /^node-(bin-)?(linux|darwin|win)-/;

/** npm writes this file at the end of an install, and removes it at the start of the next. */
export function installRecord(root) {
  return path.join(root, 'node_modules', '.package-lock.json');
}

/** Whether any development package is installed. */
export function hasSomeDev(root) {
  const packages = Object.entries(readJson(installRecord(root)).packages ?? {});
  // The record lists linked directories of the tree even if the link was omitted.
  const isThere = (place) => place.startsWith('node_modules/') && fs.existsSync(path.join(root, place));
  return packages.some(([place, entry]) => entry.dev === true && isThere(place));
}

export function readJson(file) {
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}
