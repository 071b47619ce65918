/** Health samples, one per minute across all processes, kept for 90 days (docs/contract/metrics.md#uptime). */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { type Health, readHealth } from './read-health.ts';

/** How many days are kept and shown. */
export const HISTORY_DAYS = 90;

const MINUTE_MS = 60_000;
const KEPT_MS = HISTORY_DAYS * 86_400_000;

const SAMPLE = `
  insert into health_samples (minute, degraded)
  select minute, $3 from generate_series($1::timestamptz, $2::timestamptz, interval '1 minute') as m(minute)
  on conflict (minute) do nothing returning 1`;

// The very first sample is kept: minutes without a sample count as bad from that minute on.
const REMOVE = `
  delete from health_samples where minute < $1 and minute > (select min(minute) from health_samples)`;

/** Stores the health of the current minute, unless it is stored already. @returns how many samples were written */
export async function takeSample(context: Context): Promise<number> {
  if (!context.startup.hasEnded) return 0;
  const health = await readHealth(context);
  // While an install starts for the first time, its workers do not count as late.
  if (isStarting(health)) return 0;
  const minute = minuteOf(context.clock.now());
  return (await query(context.db.em(), SAMPLE, [minute, minute, health.status === 'degraded'])).length;
}

/**
 * Stores samples for the minutes that the manual clock has skipped since `from`, all with the current health
 * (docs/contract/metrics.md#analytics).
 */
export async function samplePassedMinutes(context: Context, from: Date): Promise<void> {
  const now = context.clock.now();
  const { status } = await readHealth(context);
  const first = new Date(Math.max(from.getTime(), now.getTime() - KEPT_MS));
  await query(context.db.em(), SAMPLE, [minuteOf(first), minuteOf(now), status === 'degraded']);
}

export async function tidySamples(context: Context): Promise<void> {
  await query(context.db.em(), REMOVE, [new Date(context.clock.now().getTime() - KEPT_MS)]);
}

function isStarting({ checks: { database, ...workers } }: Health): boolean {
  return database.ok && Object.values(workers).some(({ lastRunAt }) => lastRunAt === null);
}

function minuteOf(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / MINUTE_MS) * MINUTE_MS);
}
