/**
 * Lets one process at a time install packages or build the console. The lock is a directory with one file, named after the process that
 * holds it. The lock of a dead process counts as free.
 */
import * as fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long to wait for the work of another process, in milliseconds. */
const longestWorkMs = 15 * 60_000;

/** Whether a living process holds the lock. */
export function isLocked(lock) {
  const holder = holderOf(lock);
  return holder !== undefined && isAlive(holder);
}

/**
 * Runs `work` while holding the lock, after waiting for the lock.
 *
 * @param {string} lock path of the lock's directory, in a writable directory
 * @param {string} doing what the work does, for messages, such as "installing packages"
 * @param {() => void} work
 * @throws Error when the lock cannot be created, or its holder has not finished within 15 minutes
 */
export async function whileLocked(lock, doing, work) {
  const giveUpAt = performance.now() + longestWorkMs;
  for (let isFirst = true; !tryLock(lock, doing); isFirst = false) {
    if (isFirst) console.error(`carillon: another process is ${doing}; waiting for it`);
    if (performance.now() > giveUpAt) {
      throw new Error(`another process has been ${doing} for too long. Remove ${lock} and start again.`);
    }
    await sleep(200);
  }
  try {
    work();
  } finally {
    unlock(lock);
  }
}

/** Name of the lock's holder: the one file in the lock's directory is named after the process. */
function holderOf(lock) {
  try {
    return fs.readdirSync(lock).find((name) => /^\d+$/.test(name));
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Takes the lock if it is free. Both renames succeed for one process only. */
function tryLock(lock, doing) {
  const own = String(process.pid);
  const holder = holderOf(lock);
  if (holder === own) return true;
  if (holder !== undefined && isAlive(holder)) return false;
  const fresh = `${lock}.${own}`;
  try {
    if (holder !== undefined) {
      // Renames the dead holder's file by name, so that a newer lock cannot be taken by mistake.
      fs.renameSync(path.join(lock, holder), path.join(lock, own));
      return true;
    }
    fs.mkdirSync(fresh, { recursive: true });
    fs.writeFileSync(path.join(fresh, own), '');
    fs.renameSync(fresh, lock);
    return true;
  } catch (error) {
    fs.rmSync(fresh, { recursive: true, force: true });
    // Another process was faster; on Windows the error is EPERM when the target exists.
    if (['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code) || (error.code === 'EPERM' && fs.existsSync(lock)))
      return false;
    throw new Error(`${doing} is necessary, but nothing can be written beside ${lock} (${error.code}).`, {
      cause: error,
    });
  }
}

function unlock(lock) {
  fs.rmSync(path.join(lock, String(process.pid)), { force: true });
  try {
    fs.rmdirSync(lock);
  } catch {
    // The next process already has the lock.
  }
}
