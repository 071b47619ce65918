/**
 * DATA_DIR is private to the user of this process: it holds the database, the encryption key and the operator's token.
 */
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { ConfigError } from './config.ts';

/** What the check of the folder needs. */
interface DataDirCheck {
  /** User id of the process; undefined on systems without user ids. */
  readonly uid: number | undefined;
  readonly log: Pick<Logger, 'warn'>;
}

/** Permission bits of everyone except the owner. */
const OTHERS = 0o077;

/** @throws ConfigError when the folder cannot be created */
export async function makeDataDir(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new ConfigError(`DATA_DIR ${dataDir} cannot be created (${error.message}).`, { cause: error });
  });
}

/**
 * Creates the folder if it is missing, and removes other users' permissions from it and from its direct entries. Logs a
 * warning when the folder was open.
 *
 * @throws ConfigError when it belongs to another user, or stays open to others
 */
export async function secureDataDir(dataDir: string, { uid, log }: DataDirCheck): Promise<void> {
  await makeDataDir(dataDir);
  if (uid === undefined) return;
  const { uid: owner } = await stat(dataDir);
  if (owner !== uid) {
    // Root can restrict the folder anyway, and bind mounts of containers often belong to another user.
    if (uid !== 0) {
      throw new ConfigError(
        `DATA_DIR ${dataDir} belongs to another user (uid ${owner}), who can replace what is in it; change its owner, or choose another folder.`,
      );
    }
    log.warn({ dataDir, owner }, 'DATA_DIR belongs to another user, who can replace what is in it');
  }
  const wasOpen = await close(dataDir, true);
  const inside = await closeEntries(dataDir);
  if (wasOpen) {
    log.warn({ dataDir, entries: inside }, 'DATA_DIR was open to other users of this machine and was closed to them');
  }
}

/** @returns how many were open */
async function closeEntries(dataDir: string): Promise<number> {
  let open = 0;
  for (const entry of await readdir(dataDir, { withFileTypes: true })) {
    // Someone chose the target of a link deliberately.
    if (entry.isSymbolicLink()) continue;
    if (await close(join(dataDir, entry.name), false)) open += 1;
  }
  return open;
}

/** @returns whether it was open */
async function close(path: string, isRequired: boolean): Promise<boolean> {
  const mode = await modeOf(path);
  if ((mode & OTHERS) === 0) return false;
  const failed = await chmod(path, mode & ~OTHERS).then(
    () => null,
    (error: Error) => error,
  );
  const left = await modeOf(path);
  if (!isRequired || (left & OTHERS) === 0) return true;
  const why = failed === null ? 'its disk keeps no permissions' : failed.message;
  throw new ConfigError(`DATA_DIR ${path} is open to other users, and cannot be closed to them (${why}).`, {
    cause: failed,
  });
}

async function modeOf(path: string): Promise<number> {
  const { mode } = await stat(path);
  return mode & 0o777;
}
