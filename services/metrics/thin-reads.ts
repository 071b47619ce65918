/**
 * Removes reads of metrics that no one needs any more (docs/contract/metrics.md#how-long-reads-are-kept). Each post is
 * thinned twice, and `posts.reads_thinned` counts how often it was. The newest read always stays, because the daily
 * metrics change by the difference to it.
 */
import { statement } from '../../entities/statement.ts';
import type { RetentionRule } from '../retention-rule.ts';
import { utcDay } from './daily-metrics.ts';
import { DAY_READ } from './read-times.ts';

const DAY_MS = 86_400_000;

/** How long after sending every read is kept: longer than the schedule of reads runs. */
const ALL_READS_DAYS = 35;

/** How long after sending the last read of each day is kept. */
const DAILY_READS_DAYS = 365;

/** Posts in one step: at most 47 of their 78 reads are removed, so fewer than 1,000 rows. */
const POSTS_AT_ONCE = 20;

/** Keeps the last read of each UTC day. */
export const thinToDays = thinning(0, ALL_READS_DAYS, utcDay('r.fetched_at'));

/** Keeps the newest read. */
export const thinToNewest = thinning(1, DAILY_READS_DAYS, 'true');

/**
 * Keeps the last read of each group, and the first one a day or more after sending, from which analytics computes the
 * best times.
 *
 * @param thinned how often the posts were thinned before
 * @param afterDays days since they were sent
 * @param group SQL expression on the read `r`
 */
function thinning(thinned: number, afterDays: number, group: string): RetentionRule {
  const thin = statement(`thin reads of metrics after ${afterDays} days`, {
    parameters: { before: 'timestamptz' },
    result: { posts: 'int' },
    // The lateral query is computed post by post, along the primary key of the reads. The posts are locked, so that
    // parallel workers take different ones.
    sql: ({ before }) => `
      with due as materialized (
        select p.id from posts p
        where p.sent_at is not null and p.reads_thinned = ${thinned} and p.sent_at <= ${before}
        order by p.sent_at limit ${POSTS_AT_ONCE} for no key update skip locked
      ), reads as (
        select k.place from due d cross join lateral (
          select r.ctid as place, r.number <> max(r.number) over (partition by ${group})
            and r.number is distinct from min(r.number) filter (where r.number >= ${DAY_READ}) over () as removed
          from metrics_reads r where r.post_id = d.id) k
        where k.removed
      ), removed as (
        delete from metrics_reads where ctid = any(array(select place from reads))
      ), marked as (
        update posts p set reads_thinned = ${thinned + 1} from due d where p.id = d.id
      )
      select count(*)::int as posts from due`,
  });
  return {
    step: async (context) => {
      const before = new Date(context.clock.now().getTime() - afterDays * DAY_MS);
      const [row] = await thin(context.db.em(), { before });
      return row?.posts === POSTS_AT_ONCE;
    },
  };
}
