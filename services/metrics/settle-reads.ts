/**
 * Stores outcomes of reads in one statement: the read, its charge, the daily metrics, the event and the time of the
 * next read.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { column, columns } from '../../entities/column-lists.ts';
import { type RecordOf, records, statement } from '../../entities/statement.ts';
import type { PostMetrics } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { metricsEvent } from '../events/post-event.ts';
import { storeEvents } from '../events/store-events.ts';
import type { ClaimedRead, ReadClaim } from './claim-reads.ts';
import { addToDailyMetrics } from './daily-metrics.ts';
import { metricsView } from './metrics-view.ts';
import { utcDayNumber } from '../plans/plans.ts';

/** Outcome of one claimed post. */
export interface ReadOutcome {
  readonly post: ClaimedRead;
  /** Time of the next read; null when the post is not read any more. */
  readonly nextAt: Date | null;
  /** Absent when nothing was read. */
  readonly read?: {
    /** Place of the read in the schedule. */
    readonly number: number;
    readonly fetchedAt: Date;
    readonly metrics: PostMetrics;
    /** 0 when the read is free. */
    readonly feeCents: number;
  };
}

const METRICS = ['likes', 'reposts', 'replies', 'clicks'] as const;

const OUTCOMES = records({
  ...columns('metrics_reads', ['impressions', ...METRICS]).types,
  id: 'uuid',
  next_at: 'timestamptz?',
  // Absent when nothing was read.
  number: 'int?',
  fetched_at: 'timestamptz?',
  // Absent when the read is free.
  charge_id: 'uuid?',
  cents: 'int?',
  charge_day: 'int?',
  charged_at: 'timestamptz?',
});

// The statement and the events share one transaction, and only a worker that still holds the claim writes. The daily
// metrics change by the difference to the previous read, because counters are running totals and may also fall. A clock that
// was set back gives a read the number of one that is stored; it is paid for, and not stored.
const storeOutcomes = statement('settle reads of metrics', {
  parameters: { outcomes: OUTCOMES, lease: 'timestamptz' },
  result: { id: column('posts', 'id'), stored: 'boolean' },
  sql: ({ outcomes, lease }) => `
    with input as (
      select * from ${outcomes}
    ), moved as (
      update posts p set next_read_at = case when p.status = 'sent' then i.next_at end, read_lease_until = null from input i
      where p.id = i.id and p.next_read_at = ${lease}
      returning p.id, p.status, p.account_id, p.profile_id, p.platform_id, p.connection_slug, p.mode, p.sent_at
    ), answered as (
      select m.*, i.number, i.fetched_at, i.impressions, i.likes, i.reposts, i.replies, i.clicks, i.charge_id, i.cents,
        i.charge_day, i.charged_at
      from moved m join input i on i.id = m.id where i.number is not null and m.status = 'sent'
    ), made as (
      select a.* from answered a
      where not exists (select 1 from metrics_reads r where r.post_id = a.id and r.number >= a.number)
    ), stored as (
      insert into metrics_reads (post_id, number, fetched_at, impressions, likes, reposts, replies, clicks)
      select id, number, fetched_at, impressions, likes, reposts, replies, clicks from made
    ), charged as (
      insert into charges (id, account_id, kind, subject_id, number, platform_id, cents, at)
      select charge_id, account_id, 'read', id, charge_day, platform_id, cents, charged_at from answered
      where charge_id is not null on conflict (subject_id, kind, number) do nothing
    ), changes as (
      select m.account_id, m.profile_id, m.platform_id, m.connection_slug, m.mode, m.sent_at, 0 as posts,
        case when l.post_id is null then 1 else 0 end as read_posts,
        (m.impressions is not null)::int - (l.impressions is not null)::int as impression_posts,
        coalesce(m.impressions, 0) - coalesce(l.impressions, 0) as impressions,
        ${METRICS.map((name) => `coalesce(m.${name}, 0) - coalesce(l.${name}, 0) as ${name}`).join(', ')}
      from made m left join lateral (
        select * from metrics_reads r where r.post_id = m.id order by r.number desc limit 1) l on true
    ), added as (${addToDailyMetrics('changes')})
    select m.id, d.id is not null as stored from moved m left join made d on d.id = m.id`,
});

/** @returns how many posts were settled under a claim that still held */
export async function settleReads(
  context: Context,
  { lease, now }: ReadClaim,
  outcomes: readonly ReadOutcome[],
): Promise<number> {
  if (outcomes.length === 0) return 0;
  const outcomeRecords = outcomes.map((outcome) => recordOf(context, outcome, now));
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const moved = await storeOutcomes(em, { outcomes: outcomeRecords, lease });
    const stored = new Set(moved.flatMap(({ id, stored }) => (stored ? [id] : [])));
    const events = outcomes.flatMap(({ post, read }) => {
      if (read === undefined || !stored.has(post.id) || isSameDay(post.last_read_at, read.fetchedAt)) return [];
      return [metricsEvent(context, post, metricsView(read.fetchedAt, read.metrics))];
    });
    await storeEvents(em, events);
    return moved.length;
  });
}

/** @param claimedAt decides the day of a fee: a post has one row in the usage ledger for each UTC day */
function recordOf(context: Context, { post, nextAt, read }: ReadOutcome, claimedAt: Date): RecordOf<typeof OUTCOMES> {
  const settled = { id: post.id, next_at: nextAt };
  if (read === undefined) return settled;
  const { number, fetchedAt, metrics, feeCents } = read;
  const stored = { ...metrics, ...settled, number, fetched_at: fetchedAt };
  if (feeCents <= 0) return stored;
  return {
    ...stored,
    charge_id: context.random.uuid(),
    cents: feeCents,
    charge_day: utcDayNumber(claimedAt),
    charged_at: claimedAt,
  };
}

/** Whether two instants fall on one UTC day. */
function isSameDay(stored: string | null, instant: Date): boolean {
  return stored !== null && utcDayNumber(new Date(stored)) === utcDayNumber(instant);
}
