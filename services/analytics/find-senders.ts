/**
 * Finds the connections whose posts match a filter. A post keeps the slug and the profile of its connection, which may have others
 * since, and no index has them. The daily metrics say how many posts there are, so it is known when all are found
 * (docs/decisions/0077-read-tags-and-hours-from-the-newest-posts.md).
 */
import { sql } from 'kysely';
import { anyOf } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { outer } from '../posts/calendar-rows.ts';
import { type DailyMetrics, filtersOf, type PostFilter } from './read-daily-metrics.ts';
import { connectionsOf, sentPosts } from './sent-posts.ts';
import type { Window } from './window.ts';

/**
 * Begins with the connections that have the slug and the profile now. If a day has more posts than they sent, others sent on
 * it: only then are all connections read, for that day.
 *
 * @param daily metrics of the filter on these days
 * @returns ids; null for all connections
 */
export async function findSenders(
  context: Context,
  caller: Caller,
  filter: PostFilter,
  daily: readonly DailyMetrics[],
  days: Window,
): Promise<string[] | null> {
  const { platform_id: platform, profile_id: profileId, connection_slug: slug } = filtersOf(caller, filter).wanted;
  const isNamed = profileId !== undefined || slug !== undefined;
  if (!isNamed && platform === undefined) return null;
  const named = { ...(profileId !== undefined && { profile_id: profileId }), ...(slug !== undefined && { slug }) };
  const missing = new Map<string, number>();
  const add = (day: string, posts: number) => missing.set(day, (missing.get(day) ?? 0) + posts);
  for (const { day, posts } of daily) add(day, posts);
  const present = connectionsOf(context, caller, filter).where((of) => of.and(named));
  let found = (await present.select('c.id').execute()).map(({ id }) => id);
  // A connection never changes its platform.
  if (!isNamed) return found;
  const senders: string[] = [];
  for (;;) {
    senders.push(...found);
    for (const { day, posts } of await countSent(context, caller, filter, days, found)) add(day, -posts);
    const [day] = [...missing].find(([, posts]) => posts > 0) ?? [];
    if (day === undefined) return senders;
    missing.delete(day);
    found = await otherSenders(context, caller, filter, day, senders);
  }
}

/** How many posts these connections sent on each day. */
async function countSent(
  context: Context,
  caller: Caller,
  filter: PostFilter,
  days: Window,
  connections: readonly string[],
) {
  const sent = sentPosts(context, caller, filter, days).where('p.connection_id', '=', anyOf(connections));
  return tables(context.db.queries)
    .selectFrom(sent.as('sent'))
    .select([
      sql<string>`(sent_at at time zone 'UTC')::date::text`.as('day'),
      sql<number>`count(*)::integer`.as('posts'),
    ])
    .groupBy('day')
    .execute();
}

/** The connections that sent on a day, besides those that are known. */
async function otherSenders(
  context: Context,
  caller: Caller,
  filter: PostFilter,
  day: string,
  known: readonly string[],
): Promise<string[]> {
  const sent = sentPosts(context, caller, filter, { from: day, to: day })
    .where('p.connection_id', '=', outer.ref('c.id'))
    .limit(1);
  const others = await connectionsOf(context, caller, filter)
    .innerJoinLateral(sent.as('f'), (join) => join.onTrue())
    .select('c.id')
    .where(({ eb, not }) => not(eb('c.id', '=', anyOf(known))))
    .execute();
  return others.map(({ id }) => id);
}
