/** Stores images as files in one folder that only this user can read. A file is written completely or not at all. */
import { copyFile, link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaStore } from '../ports/media-store.ts';
import { syncFolder } from '../sync-folder.ts';

/** Format of a key: no other text becomes part of a path. */
const KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @param folder created when the first image is written */
export function createFileMediaStore(folder: string): MediaStore {
  const pathOf = (key: string) => {
    if (!KEY.test(key)) throw new Error('a media key is not a UUID');
    return join(folder, key);
  };
  /** Removals wait for it. */
  let snapshots: Promise<unknown> = Promise.resolve();
  const unfinished = (key: string) => `${pathOf(key)}.tmp`;
  return {
    put: async (key, bytes) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeDurably(unfinished(key), bytes);
      await rename(unfinished(key), pathOf(key));
      // Its row may be committed on another disk right after this.
      await syncFolder(folder);
    },
    get: async (key, signal) => {
      try {
        return await readFile(pathOf(key), { signal });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    delete: async (key) => {
      await snapshots;
      await Promise.all([rm(pathOf(key), { force: true }), rm(unfinished(key), { force: true })]);
    },
    snapshot: async (target, begin) => {
      const before = snapshots;
      const taking = async () => {
        await before;
        await begin();
        await linkAll(folder, target);
      };
      const taken = taking();
      snapshots = taken.catch(() => undefined);
      await taken;
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

async function linkAll(folder: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true, mode: 0o700 });
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => KEY.test(one))) await linkOrCopy(join(folder, name), join(target, name));
}

/** Not every file system has hard links. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch((error: NodeJS.ErrnoException) => {
    // A removal that began before the snapshot.
    if (error.code === 'ENOENT') return undefined;
    return copyFile(from, to);
  });
}
