/** Tells whether the built server belongs to the present sources, and where it is. */
import * as fs from 'node:fs';
import path from 'node:path';
import { hashFiles, readRecord } from './build-record.js';

/** Folder of the builds of the server: one folder for each, and a record that names the newest. */
export const SERVER_DIST = 'server/dist';

/** Path of the server's built module; undefined unless every file that went into it is unchanged. */
export function builtServer(root) {
  const dist = path.join(root, SERVER_DIST);
  const record = readRecord(dist);
  if (record === undefined) return undefined;
  try {
    const built = path.join(dist, record.folder, 'start.js');
    return fs.existsSync(built) && hashFiles(root, record.files) === record.sources ? built : undefined;
  } catch {
    // A source is gone.
    return undefined;
  }
}
