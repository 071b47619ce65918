/** Writes the files of a backup so that they outlive a power loss, and hashes them meanwhile. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { isPresent } from '../is-present.ts';
import type { Part } from './manifest.ts';

/** Writes a file that only this user can read. */
export async function writePart(
  folder: string,
  file: string,
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
  { gzip = false, signal }: { gzip?: boolean; signal?: AbortSignal } = {},
): Promise<Part> {
  const hash = createHash('sha256');
  let bytes = 0;
  const measured = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const path = join(folder, file);
  const source = Readable.from(content);
  // The system has the bytes on its disk when the stream has ended.
  const target = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  // The fast level, because the process also serves.
  const packed = gzip ? [createGzip({ level: constants.Z_BEST_SPEED })] : [];
  await pipeline([source, ...packed, measured, target], signal === undefined ? {} : { signal });
  return { file, bytes, sha256: hash.digest('hex') };
}

/** Renames to the first of `path`, `path-2`, `path-3`… that is not in use. @returns the new name */
export async function renameUnused(from: string, path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${path}-${number}`;
    if (await isPresent(candidate)) continue;
    await rename(from, candidate);
    return candidate;
  }
}
