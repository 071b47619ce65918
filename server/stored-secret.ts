/** A secret that the first start creates in DATA_DIR and later starts read. */
import { link, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../services/sync-folder.ts';

/**
 * Reads the secret in `name`, which only its owner can read. Creates it first when it is missing; otherwise nothing is
 * written, so that a full disk does not keep a process from starting. Safe when several processes start at once, also in
 * containers that share the folder.
 */
export async function readOrCreateSecret(folder: string, name: string, make: () => string): Promise<string> {
  const file = join(folder, name);
  const read = async () => (await readFile(file, 'utf8')).trim();
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await storeOnce(folder, file, `${make()}\n`);
  return read();
}

/** Writes a file unless it exists. The write is atomic, and of two first starts both read what one wrote. */
async function storeOnce(folder: string, file: string, content: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const drafts = await mkdtemp(join(folder, '.secret-'));
  const draft = join(drafts, 'draft');
  try {
    await writeFile(draft, content, { mode: 0o600, flush: true });
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(drafts, { recursive: true, force: true });
  }
  await syncFolder(folder);
}
