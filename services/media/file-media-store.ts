/** Stores images as files in one folder that only this user can read. A file is written completely or not at all. */
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaStore } from '../ports/media-store.ts';

/** Format of a key: no other text becomes part of a path. */
const KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @param folder created when the first image is written */
export function createFileMediaStore(folder: string): MediaStore {
  const pathOf = (key: string) => {
    if (!KEY.test(key)) throw new Error('a media key is not a UUID');
    return join(folder, key);
  };
  const unfinished = (key: string) => `${pathOf(key)}.tmp`;
  return {
    put: async (key, bytes) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeDurably(unfinished(key), bytes);
      await rename(unfinished(key), pathOf(key));
    },
    get: async (key) => {
      try {
        return await readFile(pathOf(key));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    delete: async (key) => {
      await Promise.all([rm(pathOf(key), { force: true }), rm(unfinished(key), { force: true })]);
    },
  };
}

async function writeDurably(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
