/**
 * The backups of a process: one is made at a time, when the operator asks or when the newest of the schedule is old enough.
 * Older ones of the schedule are removed. A failure shows in GET /health, in the log and in a mail to the owners.
 */
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { loggableError } from '../../errors/loggable-error.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { createBackup } from './create-backup.ts';
import { listBackups } from './list-backups.ts';
import type { Backup, Manifest } from './manifest.ts';
import { reportFailure } from './report-failure.ts';

/** Milliseconds after a failure before the schedule tries again. */
const RETRY_MS = 15 * 60_000;

/** What is known about the backups of the schedule. */
export interface BackupState {
  /** Whether the last attempt succeeded, and the newest backup is younger than two intervals. */
  readonly isOk: boolean;
  readonly lastTriedAt: Date | null;
  /** Instant of the newest backup of the schedule. */
  readonly newestAt: Date | null;
}

export interface Backups {
  /** Makes a backup in the given folder, or in BACKUP_DIR. @throws ServiceError `invalid_request` while another one is made */
  create(folder?: string): Promise<Backup>;
  /** Makes the backup that is due, and removes old ones. @returns how many were made */
  runDue(signal: AbortSignal): Promise<number>;
  /** Null without a schedule. */
  state(): BackupState | null;
  /** When `runDue` last worked: now while it makes a backup; null before its first round. */
  lastWorkedAt(): Date | null;
  /** Ends the backup that is being made. */
  close(): Promise<void>;
}

export interface WithBackups {
  readonly backups: Backups;
}

type Schedule = NonNullable<Context['config']['backups']['schedule']>;

export function createBackups(context: Context): Backups {
  const { clock, config, db, log } = context;
  const { folder, schedule } = config.backups;
  const closing = new AbortController();
  let running: Promise<Backup> | null = null;
  let lastTriedAt: Date | null = null;
  let newestAt: Date | null = null;
  let hasFailed = false;
  let isWorking = false;
  let workedUntil: Date | null = null;

  const start = (target: string, origin: Manifest['origin'], signal: AbortSignal): Promise<Backup> => {
    if (running !== null) {
      throw new ServiceError('invalid_request', 'Another backup is being made. Wait until it is complete.');
    }
    const made = createBackup(context, { folder: target, origin, signal }).finally(() => (running = null));
    running = made;
    return made;
  };

  const makeDue = async (everyMs: number, signal: AbortSignal): Promise<boolean> => {
    const now = clock.now().getTime();
    if (running !== null) return false;
    if (hasFailed && lastTriedAt !== null && now - lastTriedAt.getTime() < RETRY_MS) return false;
    const [newest] = await ofSchedule(folder, now);
    newestAt = newest === undefined ? null : new Date(newest.manifest.createdAt);
    if (newestAt !== null && now - newestAt.getTime() < everyMs) return false;
    lastTriedAt = clock.now();
    const { path, manifest, bytes } = await start(folder, 'schedule', AbortSignal.any([signal, closing.signal]));
    newestAt = new Date(manifest.createdAt);
    hasFailed = false;
    log.info({ backup: basename(path), bytes }, 'a backup was made');
    return true;
  };

  const makeScheduled = async ({ everyMs, keep }: Schedule, signal: AbortSignal): Promise<number> => {
    try {
      if (!(await makeDue(everyMs, signal))) return 0;
    } catch (error) {
      if (signal.aborted || closing.signal.aborted) return 0;
      const { code, message } = loggableError(error);
      log.error({ err: error, triedAgainAt: new Date(clock.now().getTime() + RETRY_MS) }, 'a backup failed');
      hasFailed = true;
      await reportFailure(context, [code, message].filter(Boolean).join(': '));
      return 0;
    }
    // The backup is there. What is not removed now is removed after the next one.
    await removeOld(folder, keep, clock.now().getTime()).catch((err: unknown) =>
      log.error({ err }, 'older backups could not be removed'),
    );
    return 1;
  };

  return {
    create: (target = folder) => start(target, 'operator', closing.signal),
    runDue: async (signal) => {
      if (schedule === null || db.engine !== 'pglite') return 0;
      isWorking = true;
      try {
        return await makeScheduled(schedule, signal);
      } finally {
        isWorking = false;
        workedUntil = clock.now();
      }
    },
    lastWorkedAt: () => (isWorking ? clock.now() : workedUntil),
    state: () => {
      if (schedule === null) return null;
      const isRecent = clock.now().getTime() - (newestAt?.getTime() ?? 0) <= 2 * schedule.everyMs;
      // None before the first one is complete.
      return { isOk: !hasFailed && (newestAt === null || isRecent), lastTriedAt, newestAt };
    },
    close: async () => {
      closing.abort(new Error('the process stops'));
      await running?.catch(() => undefined);
    },
  };
}

/** Newest first. Those of a later time were made before the clock was set back: they stay until it reaches their time. */
async function ofSchedule(folder: string, now: number): Promise<Backup[]> {
  return (await listBackups(folder)).filter(
    ({ manifest }) => manifest.origin === 'schedule' && Date.parse(manifest.createdAt) <= now,
  );
}

/** One that cannot be removed must not keep the others. */
async function removeOld(folder: string, keep: number, now: number): Promise<void> {
  const interrupted = (await readdir(folder)).filter((name) => /^\.carillon-.*\.removed$/.test(name));
  const backups = await ofSchedule(folder, now);
  const installId = backups[0]?.manifest.installId;
  const own = backups.filter(({ manifest }) => manifest.installId === installId);
  const removals = await Promise.allSettled([
    ...interrupted.map((name) => rm(join(folder, name), { recursive: true, force: true })),
    ...own.slice(keep).map(({ path }) => removeBackup(path)),
  ]);
  const failed = removals.find((removal) => removal.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** A backup whose removal is interrupted is not taken for one: it is renamed first. */
async function removeBackup(path: string): Promise<void> {
  const removed = join(dirname(path), `.${basename(path)}.removed`);
  await rename(path, removed);
  await rm(removed, { recursive: true, force: true });
}
