/**
 * Which sources a build was made from. A hash of their content tells, because a git checkout sets arbitrary times. Plain
 * JavaScript, because it also runs on the Node that started npm.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';

/** File of a build that names its sources. */
const RECORD = 'sources.json';

/** Hash of files, given by their paths below `root`. */
export function hashFiles(root, files) {
  return hashTexts(files.map((file) => [file, fs.readFileSync(path.join(root, file), 'utf8')]));
}

/** Hash of texts with their names. Line ends do not count, because git may convert them. */
export function hashTexts(texts) {
  const hash = createHash('sha256');
  for (const [name, text] of texts) {
    const kept = text.replaceAll('\r\n', '\n');
    hash.update(`${name}\0${kept.length}\0${kept}`);
  }
  return hash.digest('hex');
}

/** What a build says of itself; undefined when there is none. */
export function readRecord(folder) {
  try {
    return JSON.parse(fs.readFileSync(path.join(folder, RECORD), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Writes the record. Call it last: a build without it is incomplete. */
export function writeRecord(folder, record) {
  const file = path.join(folder, RECORD);
  const fresh = `${file}.${process.pid}`;
  fs.writeFileSync(fresh, JSON.stringify(record));
  fs.renameSync(fresh, file);
}
