/** Restores a backup into a data folder while no server uses it. A restore that was killed is noticed by the next start. */
import { join } from 'node:path';
import type { Config } from '../services/config.ts';
import {
  type Restored,
  restoreBackup,
  type RestoreWish,
  UNFINISHED_RESTORE,
} from '../services/backups/restore-backup.ts';
import { isPresent } from '../services/is-present.ts';
import { systemClock } from './clocks.ts';
import { ConfigError } from './config.ts';
import { acquireDataDirLock } from './data-dir-lock.ts';

/** @throws ConfigError when a server has the folder, BackupError when the backup does not fit */
export async function restoreDataDir(wish: Omit<RestoreWish, 'now'>): Promise<Restored> {
  const lock = await acquireDataDirLock(wish.dataDir);
  try {
    return await restoreBackup({ ...wish, now: systemClock.now() });
  } finally {
    await lock.release();
  }
}

/** Otherwise a start between two steps of a restore would create a new install. */
export async function refuseUnfinishedRestore({ dataDir, databaseUrl }: Config): Promise<void> {
  if (databaseUrl !== undefined) return;
  if (!(await isPresent(join(dataDir, UNFINISHED_RESTORE)))) return;
  throw new ConfigError(
    `DATA_DIR: ${dataDir} has an unfinished restore; repeat it (npm run carillon -- backup restore … --replace), or remove ${UNFINISHED_RESTORE}`,
  );
}
