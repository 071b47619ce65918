/**
 * Stores outcomes of reads in one statement: the read, its charge, the daily metrics, the event and the time of the
 * next read.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import type { JsonObject, MetricNumbers } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { metricsEvent } from '../events/post-event.ts';
import { storeEvents } from '../events/store-events.ts';
import type { ClaimedRead, ReadClaim } from './claim-reads.ts';
import { addToDailyNumbers } from './daily-numbers.ts';
import { metricsView } from './metrics-view.ts';
import { utcDayNumber } from './read-times.ts';

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
    readonly numbers: MetricNumbers;
    /** 0 when the read is free. */
    readonly feeCents: number;
  };
}

const NUMBERS = ['likes', 'reposts', 'replies', 'clicks'] as const;

// The statement and the events share one transaction, and only a worker that still holds the claim writes. The daily
// metrics change by the difference to the previous read, because counters are running totals and may also fall.
const SETTLE = `
  with input as (
    select * from jsonb_to_recordset($1::jsonb) as i(
      id uuid, "nextAt" timestamptz, number int, "fetchedAt" timestamptz, impressions bigint, likes bigint,
      reposts bigint, replies bigint, clicks bigint, "chargeId" uuid, cents int, "chargeDay" int, "chargedAt" timestamptz)
  ), moved as (
    update posts p set next_read_at = case when p.status = 'sent' then i."nextAt" end from input i
    where p.id = i.id and p.next_read_at = $2
    returning p.id, p.status, p.account_id, p.profile_id, p.platform_id, p.connection_slug, p.mode, p.sent_at
  ), made as (
    select m.*, i.number, i."fetchedAt", i.impressions, i.likes, i.reposts, i.replies, i.clicks, i."chargeId", i.cents, i."chargeDay", i."chargedAt"
    from moved m join input i on i.id = m.id where i.number is not null and m.status = 'sent'
  ), stored as (
    insert into metrics_reads (post_id, number, fetched_at, impressions, likes, reposts, replies, clicks)
    select id, number, "fetchedAt", impressions, likes, reposts, replies, clicks from made
  ), charged as (
    insert into charges (id, account_id, kind, subject_id, number, platform_id, cents, at)
    select "chargeId", account_id, 'read', id, "chargeDay", platform_id, cents, "chargedAt" from made
    where "chargeId" is not null on conflict (subject_id, kind, number) do nothing
  ), changes as (
    select m.account_id, m.profile_id, m.platform_id, m.connection_slug, m.mode, m.sent_at, 0 as posts,
      case when l.post_id is null then 1 else 0 end as read_posts,
      (m.impressions is not null)::int - (l.impressions is not null)::int as impression_posts,
      coalesce(m.impressions, 0) - coalesce(l.impressions, 0) as impressions,
      ${NUMBERS.map((name) => `coalesce(m.${name}, 0) - coalesce(l.${name}, 0) as ${name}`).join(', ')}
    from made m left join lateral (
      select * from metrics_reads r where r.post_id = m.id order by r.number desc limit 1) l on true
  ), added as (${addToDailyNumbers('changes')})
  select m.id, d.id is not null as stored from moved m left join made d on d.id = m.id`;

/** @returns how many posts were settled under a claim that still held */
export async function settleReads(
  context: Context,
  { lease, now }: ReadClaim,
  outcomes: readonly ReadOutcome[],
): Promise<number> {
  if (outcomes.length === 0) return 0;
  const rows = outcomes.map((outcome) => outcomeRow(context, outcome, now));
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const moved = await query<{ id: string; stored: boolean }>(em, SETTLE, [JSON.stringify(rows), lease]);
    const stored = new Set(moved.flatMap(({ id, stored }) => (stored ? [id] : [])));
    const told = outcomes.flatMap(({ post, read }) => {
      if (read === undefined || !stored.has(post.id) || isSameDay(post.last_read_at, read.fetchedAt)) return [];
      return [metricsEvent(context, post, metricsView(read.fetchedAt, read.numbers))];
    });
    await storeEvents(em, told);
    return moved.length;
  });
}

/** @param claimedAt decides the day of a fee: a post has one row in the usage ledger for each UTC day */
function outcomeRow(context: Context, { post, nextAt, read }: ReadOutcome, claimedAt: Date): JsonObject {
  const row = { id: post.id, nextAt: nextAt === null ? null : nextAt.toISOString() };
  if (read === undefined) return row;
  const { number, fetchedAt, numbers, feeCents } = read;
  return {
    ...row,
    ...metricsView(fetchedAt, numbers),
    number,
    ...(feeCents > 0 && {
      chargeId: context.random.uuid(),
      cents: feeCents,
      chargeDay: utcDayNumber(claimedAt),
      chargedAt: claimedAt.toISOString(),
    }),
  };
}

/** Whether two instants fall on one UTC day. */
function isSameDay(stored: string | null, instant: Date): boolean {
  return stored !== null && utcDayNumber(new Date(stored)) === utcDayNumber(instant);
}
