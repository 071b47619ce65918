/** The uptime of the last days, from the samples (docs/contract/metrics.md#uptime). */
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { dateOrNull } from '../timestamp.ts';
import { HISTORY_DAYS } from './health-samples.ts';

export interface HealthDay {
  /** YYYY-MM-DD, in UTC. */
  readonly day: string;
  /** Two decimals; null for a day that ended before the first sample. */
  readonly uptimePercent: number | null;
  readonly samples: number;
  readonly degradedMinutes: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const countSamplesByDay = statement('count health samples by day', {
  parameters: { from: 'timestamptz', to: 'timestamptz' },
  result: {
    /** Days since 1970. */
    day: 'int',
    samples: 'int',
    good: 'int',
  },
  sql: ({ from, to }) => `
    select floor(extract(epoch from minute) / 86400)::int as day, count(*)::int as samples,
      (count(*) filter (where not degraded))::int as good
    from health_samples where minute >= ${from} and minute <= ${to} group by 1`,
});

/** All days that are kept, oldest first; the last one is today, up to now. */
export async function readHistory(context: Context): Promise<HealthDay[]> {
  const now = context.clock.now().getTime();
  const today = Math.floor(now / DAY_MS);
  const oldest = today - (HISTORY_DAYS - 1);
  const em = context.db.em();
  const edges = await tables(em)
    .selectFrom('health_samples')
    .select(({ fn }) => [fn.min('minute').as('first'), fn.max('minute').as('last')])
    .where('minute', '<=', new Date(now).toISOString())
    .executeTakeFirstOrThrow();
  const rows = await countSamplesByDay(em, { from: new Date(oldest * DAY_MS), to: new Date(now) });
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const first = dateOrNull(edges.first)?.getTime() ?? now;
  // The current minute counts once it has its sample.
  const end = Math.max(
    Math.floor(now / MINUTE_MS) * MINUTE_MS,
    (dateOrNull(edges.last)?.getTime() ?? -MINUTE_MS) + MINUTE_MS,
  );
  return Array.from({ length: HISTORY_DAYS }, (_, index) => {
    const day = oldest + index;
    const { samples, good } = byDay.get(day) ?? { samples: 0, good: 0 };
    const begins = Math.max(day * DAY_MS, first);
    const minutes = Math.max(0, (Math.min((day + 1) * DAY_MS, end) - begins) / MINUTE_MS);
    const isBefore = (day + 1) * DAY_MS <= first;
    return {
      day: new Date(day * DAY_MS).toISOString().slice(0, 10),
      uptimePercent: isBefore ? null : percentOf(good, Math.floor(minutes)),
      samples,
      degradedMinutes: Math.floor(minutes) - good,
    };
  });
}

/** A day without a complete minute counts as good. */
function percentOf(good: number, minutes: number): number {
  return minutes === 0 ? 100 : Math.round((good / minutes) * 10_000) / 100;
}
