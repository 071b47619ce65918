/** A secret that the first start creates in DATA_DIR and later starts read. */
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Reads the secret in `name`, which only its owner can read. Creates it first when it is missing. Safe when several
 * processes start at once.
 */
export async function readOrCreateSecret(folder: string, name: string, make: () => string): Promise<string> {
  const file = join(folder, name);
  await storeOnce(folder, file, `${make()}\n`);
  return (await readFile(file, 'utf8')).trim();
}

/** Writes a file unless it exists. The write is atomic, and of two first starts both read what one wrote. */
async function storeOnce(folder: string, file: string, content: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, content, { mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
