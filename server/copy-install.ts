/**
 * Copies the embedded database of a data folder to PostgreSQL, or back, while no server runs
 * (docs/guide/deployment.md#from-the-embedded-database-to-postgresql).
 */
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type CopiedDatabase, copyDatabase, CopyError } from '../entities/copy-database.ts';
import { type Database, openPglite, openPostgres } from '../entities/orm.ts';
import { createFirstJobTable } from '../jobs/job-table.ts';
import { isPresent } from '../services/is-present.ts';
import { markRestored } from '../services/restores/database-mark.ts';
import { systemClock } from './clocks.ts';
import { acquireDataDirLock } from './data-dir-lock.ts';
import { createLogger } from './logger.ts';

/** Where a copy into the folder is written until it is complete. */
const UNFINISHED_COPY = 'db.copy-partial';

/** Copies the database in DATA_DIR into an empty PostgreSQL database. */
export function copyToPostgres(dataDir: string, url: string): Promise<CopiedDatabase> {
  return locked(dataDir, async () => {
    const folder = join(dataDir, 'db');
    if (!(await isPresent(folder))) throw new CopyError(`${dataDir} has no embedded database.`);
    return withDatabase(openPglite(folder), (source) =>
      withDatabase(openPostgres(url), (target) => copy(source, target)),
    );
  });
}

/** Copies a PostgreSQL database into DATA_DIR, which has no embedded database yet. */
export async function copyFromPostgres(url: string, dataDir: string): Promise<CopiedDatabase> {
  return locked(dataDir, async () => {
    const [folder, partial] = [join(dataDir, 'db'), join(dataDir, UNFINISHED_COPY)];
    if (await isPresent(folder)) {
      throw new CopyError(`${dataDir} has an embedded database. Name another folder, or move ${folder} aside.`);
    }
    await rm(partial, { recursive: true, force: true });
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const copied = await withDatabase(openPostgres(url), (source) =>
      withDatabase(openPglite(partial), (target) => copy(source, target)),
    );
    await rename(partial, folder);
    return copied;
  });
}

/** From now on the copy is the install: the source, if it is started by mistake, holds what is due. */
async function copy(source: Database, target: Database): Promise<CopiedDatabase> {
  const log = createLogger('warn');
  const copied = await copyDatabase(source, target, () => createFirstJobTable({ db: target, clock: systemClock, log }));
  await markRestored(source.queries);
  return copied;
}

async function locked<Result>(dataDir: string, work: () => Promise<Result>): Promise<Result> {
  const lock = await acquireDataDirLock(dataDir);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

async function withDatabase<Result>(
  opening: Promise<Database>,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const db = await opening;
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
