/** Health samples, one per minute across all processes, kept for 90 days (docs/contract/metrics.md#uptime). */
import { statement } from '../../entities/statement.ts';
import type { WithBackups } from '../backups/backup-schedule.ts';
import type { Context } from '../context.ts';
import { type Health, readHealth } from './read-health.ts';
import type { WithStartup } from './startup.ts';

/** How many days are kept and shown. */
export const HISTORY_DAYS = 90;

const MINUTE_MS = 60_000;
const KEPT_MS = HISTORY_DAYS * 86_400_000;

const storeSamples = statement('store health samples', {
  parameters: { first: 'timestamptz', last: 'timestamptz', isDegraded: 'boolean' },
  result: { stored: 'int' },
  sql: ({ first, last, isDegraded }) => `
    insert into health_samples (minute, degraded)
    select minute, ${isDegraded} from generate_series(${first}, ${last}, interval '1 minute') as m(minute)
    on conflict (minute) do nothing returning 1 as stored`,
});

/** Stores the health of the current minute, unless it is stored already. @returns how many samples were written */
export async function takeSample(context: Context & WithStartup & WithBackups): Promise<number> {
  if (!context.startup.hasEnded) return 0;
  const health = await readHealth(context);
  // While an install starts for the first time, its workers do not count as late.
  if (isStarting(health)) return 0;
  const minute = minuteOf(context.clock.now());
  const sample = { first: minute, last: minute, isDegraded: health.status === 'degraded' };
  return (await storeSamples(context.db.em(), sample)).length;
}

/**
 * Stores samples for the minutes that the manual clock has skipped since `from`, all with the current health
 * (docs/contract/metrics.md#analytics).
 */
export async function samplePassedMinutes(context: Context & WithStartup & WithBackups, from: Date): Promise<void> {
  const now = context.clock.now();
  const { status } = await readHealth(context);
  const first = new Date(Math.max(from.getTime(), now.getTime() - KEPT_MS));
  const isDegraded = status === 'degraded';
  await storeSamples(context.db.em(), { first: minuteOf(first), last: minuteOf(now), isDegraded });
}

// Without the backups: each start of a process forgets when it tried one, and the next may be due in days.
function isStarting({ checks: { database, scheduledPosts, webhookDeliveries, xUsageSweep } }: Health): boolean {
  return database.ok && [scheduledPosts, webhookDeliveries, xUsageSweep].some(({ lastRunAt }) => lastRunAt === null);
}

function minuteOf(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / MINUTE_MS) * MINUTE_MS);
}
