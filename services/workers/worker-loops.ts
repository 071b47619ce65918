/**
 * The loops that workers run, as data: how often each one starts, and therefore when its last success counts as late
 * (docs/contract/running.md#health).
 */

export const WORKER_LOOPS = {
  scheduledPosts: { everySeconds: 5 },
  loginRenewals: { everySeconds: 60 },
  metricsReads: { everySeconds: 60 },
  webhookDeliveries: { everySeconds: 5 },
  imports: { everySeconds: 10 },
  feeds: { everySeconds: 30 },
  approvals: { everySeconds: 30 },
  ownerNotices: { everySeconds: 10 },
  xUsageSweep: { everySeconds: 60 },
  healthSamples: { everySeconds: 20 },
  retention: { everySeconds: 60 },
  housekeeping: { everySeconds: 3_600 },
  backups: { everySeconds: 60 },
} as const;

export type WorkerLoopName = keyof typeof WORKER_LOOPS;

/** No loop counts as late before this many seconds, however short its interval. */
const LATE_AT_LEAST_SECONDS = 120;

/** Recorded times of a loop: when a worker last started, and when the loop last succeeded. */
interface LoopTimes {
  readonly startedAt: Date | null;
  readonly lastOkAt: Date | null;
}

/**
 * Whether a loop's last success is recent enough, or its worker has only just started. A time that is as far ahead was
 * recorded before the clock was set back, and says nothing about now.
 */
export function isOnTime(name: WorkerLoopName, { startedAt, lastOkAt }: LoopTimes, now: Date): boolean {
  const isWithin = (at: Date | null, seconds: number) =>
    at !== null && Math.abs(now.getTime() - at.getTime()) <= seconds * 1000;
  const lateAfter = Math.max(3 * WORKER_LOOPS[name].everySeconds, LATE_AT_LEAST_SECONDS);
  return isWithin(startedAt, LATE_AT_LEAST_SECONDS) || isWithin(lastOkAt, lateAfter);
}
