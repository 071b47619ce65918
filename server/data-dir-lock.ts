/**
 * Prevents two servers from opening one embedded database, which would lose data silently. The lock is the operating
 * system's, on a file in DATA_DIR. It is taken through SQLite because Node has no call for it. It ends with the
 * process, however the process ends, so a stale lock cannot exist.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from './config.ts';
import { makeDataDir } from './secure-data-dir.ts';

/** SQLITE_BUSY: another process holds the lock. */
const busy = 5;

/** Another server has the directory. */
export class DataDirInUse extends ConfigError {}

/** The locks of this process. The set keeps them from being garbage collected, which would close and lose them. */
const held = new Set<DatabaseSync>();

/**
 * Locks DATA_DIR for this process, and creates the directory (mode 0700) when it is missing. Does not wait.
 *
 * @throws ConfigError in one line for the operator: {@link DataDirInUse}, or it cannot be locked.
 */
export async function acquireDataDirLock(dataDir: string): Promise<{ release(): Promise<void> }> {
  await makeDataDir(dataDir);
  const lock = lockFile(dataDir);
  const pidFile = path.resolve(dataDir, 'lock.pid');
  if (lock === null) {
    const pid = await readFile(pidFile, 'utf8').catch(() => 'unknown');
    throw new DataDirInUse(
      `DATA_DIR ${dataDir} is in use by another Carillon server (process ${pid.trim()}). ` +
        'Stop it first, set another DATA_DIR, or use PostgreSQL (DATABASE_URL) to run several.',
    );
  }
  held.add(lock);
  // Only the holder writes here. A process that is refused at this moment may still read the previous holder.
  await writeFile(pidFile, `${process.pid}\n`);
  return {
    async release() {
      if (!held.delete(lock)) return;
      await rm(pidFile, { force: true });
      lock.close();
    },
  };
}

/** The lock, held until it is closed; null when another process holds it. */
function lockFile(dataDir: string): DatabaseSync | null {
  let lock: DatabaseSync | undefined;
  try {
    // The file is never removed: a lock on a file that has been unlinked protects nothing.
    lock = new DatabaseSync(path.resolve(dataDir, 'lock'));
    // Nothing is ever written, so the journal does not need to be on disk.
    lock.exec('PRAGMA journal_mode = MEMORY');
    // SQLite takes a write lock in one step. It takes an EXCLUSIVE lock in several, so two starting processes could
    // both fail.
    lock.exec('BEGIN IMMEDIATE');
    return lock;
  } catch (error) {
    lock?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return null;
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(
      `DATA_DIR ${dataDir} cannot be locked (${why}). It must be writable and on a disk with file locks.`,
      {
        cause: error,
      },
    );
  }
}
