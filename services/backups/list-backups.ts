/** Lists the backups in a folder, the newest first. A folder without a manifest is no backup and is left out. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Backup, readBackup } from './manifest.ts';

const NAME = /^carillon-\d{8}T\d{6}Z(?:-\d+)?$/;

export async function listBackups(folder: string): Promise<Backup[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => NAME.test(name));
  const found = await Promise.all(names.map((name) => readBackup(join(folder, name)).catch(() => null)));
  const backups = found.filter((backup) => backup !== null);
  return backups.toSorted((a, b) => b.manifest.createdAt.localeCompare(a.manifest.createdAt));
}
