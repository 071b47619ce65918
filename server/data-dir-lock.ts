/**
 * Keeps two servers off one embedded database, which would lose data without a word. The lock is the
 * operating system's own, on a file in DATA_DIR, taken through SQLite because Node has no call for it.
 * It ends with the process however that dies, so there is no stale lock to tell from a live one.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from './config.ts';
import { makeDataDir } from './secure-data-dir.ts';

/** SQLITE_BUSY: someone else holds the lock. */
const busy = 5;

/** The locks of this process. Held here because one that is garbage collected is closed, and lost. */
const held = new Set<DatabaseSync>();

/**
 * Takes DATA_DIR for this process, making the directory (mode 0700) when it is missing. Does not wait.
 *
 * @throws ConfigError in one line for the operator: another server has the directory, or it cannot be locked.
 */
export async function acquireDataDirLock(dataDir: string): Promise<{ release(): Promise<void> }> {
  await makeDataDir(dataDir);
  const lock = lockFile(dataDir);
  const pidFile = path.resolve(dataDir, 'lock.pid');
  if (lock === null) {
    const pid = await readFile(pidFile, 'utf8').catch(() => 'unknown');
    throw new ConfigError(
      `DATA_DIR ${dataDir} is in use by another Carillon server (process ${pid.trim()}). ` +
        'Stop it first, or give this one a DATA_DIR of its own, or use PostgreSQL (DATABASE_URL) to run several.',
    );
  }
  held.add(lock);
  // Only the holder writes here. Someone refused in this very instant may still read the holder before.
  await writeFile(pidFile, `${process.pid}\n`);
  return {
    async release() {
      if (!held.delete(lock)) return;
      await rm(pidFile, { force: true });
      lock.close();
    },
  };
}

/** The lock, held until it is closed; null when someone else holds it. */
function lockFile(dataDir: string): DatabaseSync | null {
  let lock: DatabaseSync | undefined;
  try {
    // The file is never removed: a lock on a file that has lost its name protects nothing.
    lock = new DatabaseSync(path.resolve(dataDir, 'lock'));
    // Nothing is ever written, so no journal has to be on disk either.
    lock.exec('PRAGMA journal_mode = MEMORY');
    // A write lock is taken in one step. An EXCLUSIVE one takes several, and of two starters both could fail.
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
