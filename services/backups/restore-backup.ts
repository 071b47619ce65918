/**
 * Puts a backup into a data folder that no server uses. It is unpacked and opened beside the present content first, and
 * the database is marked as restored, so that the first start holds the posts that are due
 * (docs/decisions/0086-hold-due-posts-after-a-restore.md).
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrations } from '../../entities/migrations/index.ts';
import { openPglite } from '../../entities/orm.ts';
import { markRestored } from '../restores/database-mark.ts';
import { KEY_FILE } from './create-backup.ts';
import { keyMark } from '../credentials/vault.ts';
import { type Backup, BackupError, type Manifest, PART_FILES } from './manifest.ts';
import { unpackTar } from './tar.ts';
import { openPart, verifyBackup } from './verify-backup.ts';
import { syncFolder } from '../sync-folder.ts';

/** What a restore replaces, in this order. The database is the last to arrive: without it there is no install. */
const REPLACED = [KEY_FILE, 'media', 'db'] as const;

/** Where a backup is unpacked. A server refuses to start on a folder that has it. */
export const UNFINISHED_RESTORE = 'restore.partial';

export interface RestoreWish {
  /** Folder of the backup. */
  readonly from: string;
  readonly dataDir: string;
  /** Whether what the folder has is moved aside. */
  readonly replace: boolean;
  /** File with the keys, when it was kept apart from the backup. */
  readonly keysFile: string | undefined;
  /** Keys of the environment. */
  readonly givenKeys: readonly Buffer[] | undefined;
  readonly now: Date;
}

export interface Restored {
  readonly backup: Backup;
  /** Folder with what was there before; null when there was nothing. */
  readonly aside: string | null;
}

/** The caller holds the lock of the data folder. @throws BackupError that says what to correct; nothing has changed then */
export async function restoreBackup(wish: RestoreWish): Promise<Restored> {
  const { dataDir } = wish;
  const present = (await readdir(dataDir)).filter((name) => (REPLACED as readonly string[]).includes(name));
  if (present.length > 0 && !wish.replace) {
    throw new BackupError(
      `${dataDir} has an install (${present.join(', ')}). Choose an empty folder, or move what is there aside with --replace.`,
    );
  }
  const backup = await verifyBackup(wish.from);
  refuseNewerSchema(backup);
  const key = await readKey(wish, backup);
  const staged = join(dataDir, UNFINISHED_RESTORE);
  await rm(staged, { recursive: true, force: true });
  await mkdir(staged, { mode: 0o700 });
  try {
    await unpack(backup, staged, key);
    await markDatabase(join(staged, 'db'), backup);
  } catch (error) {
    await rm(staged, { recursive: true, force: true });
    throw error;
  }
  const aside = present.length === 0 ? null : await moveAside(dataDir, present, wish.now);
  for (const name of REPLACED) await rename(join(staged, name), join(dataDir, name)).catch(unlessMissing);
  await syncFolder(dataDir);
  await rm(staged, { recursive: true, force: true });
  return { backup, aside };
}

function refuseNewerSchema({ path, manifest }: Backup): void {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = manifest.migrations.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new BackupError(
    `${path} was made by version ${manifest.version}, whose schema is newer: this version does not know ${unknown.join(', ')}. Install version ${manifest.version} or a newer one.`,
  );
}

/** The generated key to put in place; null when ENCRYPTION_KEYS has the keys. */
async function readKey({ keysFile, givenKeys }: RestoreWish, { path, manifest, keys }: Backup): Promise<string | null> {
  const file = keysFile ?? (keys === 'included' ? join(path, PART_FILES.keys) : null);
  if (file === null) {
    refuseOtherKeys(manifest, givenKeys ?? [], 'ENCRYPTION_KEYS');
    return null;
  }
  const text = await readFile(file, 'utf8').catch(() => {
    throw new BackupError(`The keys ${file} cannot be read.`);
  });
  const key = keyIn(text);
  if (key === null) throw new BackupError(`${file} has no ${KEY_FILE}.`);
  refuseOtherKeys(manifest, [Buffer.from(key, 'base64')], file);
  return key;
}

function keyIn(text: string): string | null {
  try {
    const key = (JSON.parse(text) as Record<string, unknown>)[KEY_FILE];
    return typeof key === 'string' ? key : null;
  } catch {
    return null;
  }
}

function refuseOtherKeys({ keyMarks }: Manifest, keys: readonly Buffer[], source: string): void {
  const found = keys.map((key) => keyMark(key));
  const missing = keyMarks.filter((mark) => !found.includes(mark));
  if (missing.length === 0) return;
  throw new BackupError(
    `The backup needs the keys with the marks ${missing.join(', ')}, and ${source} does not have them. Set ENCRYPTION_KEYS, or name its ${PART_FILES.keys} with --keys.`,
  );
}

async function unpack(backup: Backup, staged: string, key: string | null): Promise<void> {
  const database = openPart(backup, 'database');
  if (database !== null) await unpackTar(database, join(staged, 'db'));
  const images = openPart(backup, 'images');
  if (images !== null) await unpackTar(images, join(staged, 'media'));
  if (key !== null) await writeFile(join(staged, KEY_FILE), `${key}\n`, { mode: 0o600 });
}

/** Opening it makes the copy consistent, and proves that it can be opened. */
async function markDatabase(folder: string, { path, manifest }: Backup): Promise<void> {
  const db = await openPglite(folder).catch((error: unknown) => {
    throw new BackupError(`The database in ${path} cannot be opened.`, { cause: error });
  });
  try {
    const applied = await db.appliedMigrations();
    if (applied.join() !== manifest.migrations.join()) {
      throw new BackupError(`The database in ${path} has other migrations than its manifest says.`);
    }
    await markRestored(db.queries);
  } finally {
    await db.close();
  }
}

/** Within the folder, so that it also works when the folder is a mounted disk. */
async function moveAside(dataDir: string, names: readonly string[], now: Date): Promise<string> {
  const aside = join(
    dataDir,
    `replaced-${now
      .toISOString()
      .replace(/\.\d+Z$/, 'Z')
      .replace(/[-:]/g, '')}`,
  );
  await mkdir(aside, { mode: 0o700 });
  for (const name of names) await rename(join(dataDir, name), join(aside, name));
  return aside;
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
