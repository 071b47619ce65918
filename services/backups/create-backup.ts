/**
 * Makes a backup of a running install on the embedded database: the database, the images and the generated encryption key,
 * each in a separate file (docs/decisions/0101-back-the-embedded-database-up-online.md).
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { copyOnline, readInstallId } from '../../entities/online-backup.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { timestamp } from '../timestamp.ts';
import {
  type Backup,
  BACKUP_FORMAT,
  backupAt,
  type Manifest,
  MANIFEST_FILE,
  type Part,
  PART_FILES,
} from './manifest.ts';
import { writeTar } from './tar.ts';
import { renameUnused, writePart } from './write-part.ts';
import { syncFolder } from '../sync-folder.ts';

/** Name of the generated key in DATA_DIR, and of its copy. */
export const KEY_FILE = 'encryption.key';

/** Links to the images while they are copied; below DATA_DIR, because links do not reach other disks. */
const LINKED_IMAGES = 'backup-images.partial';

/** The backup to make. */
interface Wanted {
  /** Gets the backup as a new folder; created when it is missing. */
  readonly folder: string;
  readonly origin: Manifest['origin'];
  /** Ends it; nothing is left then. */
  readonly signal: AbortSignal;
}

/** @throws ServiceError `invalid_request` on PostgreSQL */
export async function createBackup(context: Context, { folder, origin, signal }: Wanted): Promise<Backup> {
  const { lite } = context.db;
  if (lite === undefined) {
    throw new ServiceError(
      'invalid_request',
      'Carillon backs up the embedded database only. Back PostgreSQL up with pg_dump or pgBackRest, and ENCRYPTION_KEYS apart from it.',
    );
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const installId = await readInstallId(lite);
  await removePartial(folder, installId);
  const partial = join(folder, partialName(installId));
  await mkdir(partial, { mode: 0o700 });
  try {
    const manifest = await writeParts(context, partial, { installId, origin }, signal);
    await writePart(partial, MANIFEST_FILE, [textOf(manifest)]);
    await syncFolder(partial);
    const path = await renameUnused(partial, join(folder, nameOf(manifest)));
    await syncFolder(folder);
    return backupAt(path, manifest);
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

const nameOf = ({ createdAt }: Manifest) => `carillon-${createdAt.replace(/\.\d+Z$/, 'Z').replace(/[-:]/g, '')}`;

const partialName = (installId: string) => `.carillon-${installId}.partial`;

/** Of a backup that was killed. One process has the database open, and it makes one backup at a time. */
async function removePartial(folder: string, installId: string): Promise<void> {
  await rm(join(folder, partialName(installId)), { recursive: true, force: true });
}

/**
 * Removes what a backup left that was killed, before another one is made: the links would keep the bytes of images that are
 * deleted. Of a backup elsewhere than in BACKUP_DIR the next one there removes it.
 */
export async function removeUnfinished({ config, db, log }: Context): Promise<void> {
  const { lite } = db;
  if (lite === undefined) return;
  try {
    await rm(join(config.dataDir, LINKED_IMAGES), { recursive: true, force: true });
    await removePartial(config.backups.folder, await readInstallId(lite));
  } catch (err) {
    log.warn({ err }, 'an unfinished backup could not be removed');
  }
}

async function writeParts(
  context: Context,
  partial: string,
  known: Pick<Manifest, 'installId' | 'origin'>,
  signal: AbortSignal,
): Promise<Manifest> {
  const { config, db, media, version, vault, clock } = context;
  const linked = join(config.dataDir, LINKED_IMAGES);
  await rm(linked, { recursive: true, force: true });
  let createdAt = clock.now();
  const stopAt = async (stop: () => Promise<void>) => {
    await stop();
    createdAt = clock.now();
  };
  // Images and database are of one instant: no image is removed between the end of the one copy and that of the other.
  const atEnd = (stop: () => Promise<void>) => media.snapshot?.(linked, () => stopAt(stop)) ?? stopAt(stop);
  try {
    if (db.lite === undefined) throw new Error('the database is not the embedded one');
    const files = copyOnline(db.lite, join(config.dataDir, 'db'), atEnd);
    const database = await writePart(partial, PART_FILES.database, writeTar(files), { gzip: true, signal });
    const images = media.snapshot === undefined ? null : await readdir(linked).catch(() => []);
    const listed = (images ?? []).map((name) => ({ name, path: join(linked, name) }));
    const stored =
      images === null ? undefined : await writePart(partial, PART_FILES.images, writeTar(listed), { signal });
    const keys = await writeKeys(context, partial);
    return {
      format: BACKUP_FORMAT,
      version,
      createdAt: timestamp(createdAt),
      ...known,
      migrations: await db.appliedMigrations(),
      keyMarks: [...vault.keyMarks],
      images: images?.length ?? null,
      parts: { database, ...(stored && { images: stored }), ...(keys && { keys }) },
    };
  } finally {
    await rm(linked, { recursive: true, force: true });
  }
}

/** Keys of the environment are kept by the operator, who would not expect them on this disk. */
async function writeKeys({ config }: Context, partial: string): Promise<Part | undefined> {
  if (config.encryptionKeys !== undefined) return undefined;
  const key = (await readFile(join(config.dataDir, KEY_FILE), 'utf8')).trim();
  return writePart(partial, PART_FILES.keys, [textOf({ [KEY_FILE]: key })]);
}

function textOf(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}
