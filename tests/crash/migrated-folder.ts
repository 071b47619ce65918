/**
 * Creates a migrated embedded database once per run, because the migration takes longer than most tests that use it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPglite } from '../../entities/orm.ts';
import { TEST_DATABASE_URL } from '../harness/database.ts';

/** Folder of the database. */
export const MIGRATED_VARIABLE = 'CARILLON_CRASH_MIGRATED';

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (TEST_DATABASE_URL !== undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'carillon-crash-migrated-'));
  const database = await openPglite(join(folder, 'db'));
  await database.migrate();
  await database.close();
  process.env[MIGRATED_VARIABLE] = join(folder, 'db');
  return () => rm(folder, { recursive: true, force: true });
}
