/** Checks a backup without restoring it: its parts against the manifest, and that the archives can be read to their end. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { logOf } from '../../entities/online-backup.ts';
import { type Backup, BackupError, checkParts, type PartName, readBackup } from './manifest.ts';
import { readTar } from './tar.ts';

/** @throws BackupError with what is wrong */
export async function verifyBackup(path: string): Promise<Backup> {
  const backup = await readBackup(path);
  await checkParts(backup);
  const { names, label } = await readDatabase(backup);
  for (const needed of ['PG_VERSION', 'global/pg_control', 'backup_label']) {
    if (!names.includes(needed)) throw new BackupError(`The database in ${path} has no ${needed}.`);
  }
  const log = names.flatMap((name) => (name.startsWith('pg_wal/') ? [name.slice('pg_wal/'.length)] : []));
  if (logOf(label, log) === null) {
    throw new BackupError(`The database in ${path} lacks a part of its write-ahead log, and cannot be restored.`);
  }
  const { images } = backup.manifest;
  const count = (await namesIn(backup, 'images')).length;
  if (images !== null && count !== images) {
    throw new BackupError(`${path} has ${count} images, and its manifest says ${images}.`);
  }
  return backup;
}

/** The names of the files, and the label that says where the write-ahead log begins. */
async function readDatabase(backup: Backup): Promise<{ readonly names: readonly string[]; readonly label: string }> {
  const archive = openPart(backup, 'database');
  const names: string[] = [];
  let label = '';
  if (archive === null) return { names, label };
  for await (const { name, isFolder, content } of readTar(archive)) {
    if (!isFolder) names.push(name);
    if (name === 'backup_label') label = (await buffer(content)).toString();
  }
  return { names, label };
}

async function namesIn(backup: Backup, name: PartName): Promise<string[]> {
  const archive = openPart(backup, name);
  if (archive === null) return [];
  const names: string[] = [];
  for await (const entry of readTar(archive)) if (!entry.isFolder) names.push(entry.name);
  return names;
}

/** The bytes of an archive, unpacked; null when the backup has no such part. */
export function openPart({ path, manifest }: Backup, name: PartName): AsyncIterable<Buffer> | null {
  const part = manifest.parts[name];
  if (part === undefined) return null;
  const file = createReadStream(join(path, part.file));
  if (!part.file.endsWith('.gz')) return file;
  const unpacked = createGunzip();
  file.on('error', (error) => unpacked.destroy(error));
  return file.pipe(unpacked);
}
