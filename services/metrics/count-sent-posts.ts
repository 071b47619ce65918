/**
 * Adds sent posts to the daily metrics some minutes after they were sent. A send must not wait for a row that all sends
 * of the account share. Until then analytics count these posts one by one.
 */
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { addToDailyMetrics } from './daily-metrics.ts';

/** Most posts in one statement. */
const AT_ONCE = 1_000;

/** A post is counted this long after it was sent. */
const COUNT_AFTER_MS = 5 * 60_000;

// In the order of the index of uncounted posts: PostgreSQL would read all posts for the few that it has, because posts that were
// never sent are not counted either.
const countDue = statement('add sent posts to the daily metrics', {
  parameters: { before: 'timestamptz' },
  result: { counted: 'int' },
  sql: ({ before }) => `
    with due as (
      select id from posts where sent_at is not null and not counted and sent_at <= ${before}
      order by account_id, sent_at limit ${AT_ONCE} for no key update skip locked
    ), counted as (
      update posts p set counted = true from due where p.id = due.id
      returning p.account_id, p.profile_id, p.platform_id, p.connection_slug, p.mode, p.sent_at
    ), changes as (
      select *, 1 as posts, 0 as read_posts, 0 as impression_posts, 0 as impressions, 0 as likes, 0 as reposts,
        0 as replies, 0 as clicks from counted
    ), added as (${addToDailyMetrics('changes')})
    select count(*)::int as counted from counted`,
});

/** @param isOver whether the round is to end before its next step */
export async function countSentPosts(context: Context, isOver: () => boolean): Promise<void> {
  const before = new Date(context.clock.now().getTime() - COUNT_AFTER_MS);
  for (let counted = AT_ONCE; counted === AT_ONCE && !isOver();) {
    const [row] = await countDue(context.db.em(), { before });
    counted = row?.counted ?? 0;
  }
}
