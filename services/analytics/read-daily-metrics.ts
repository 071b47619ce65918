/** Reads the metrics of the posts of a window, summed by day and platform. */
import { sql } from 'kysely';
import { tables } from '../../entities/tables.ts';
import { type PlatformId, TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { NO_PROFILE } from '../metrics/daily-metrics.ts';
import type { Window } from './window.ts';

export interface PostFilter {
  readonly profileId?: string | undefined;
  readonly platform?: PlatformId | undefined;
  readonly connectionSlug?: string | undefined;
}

/** Posts of one day on one platform. A day has two of them while it has posts that are not counted yet. */
export type DailyMetrics = Awaited<ReturnType<typeof readDailyMetrics>>[number];

/** Sums of 64-bit integers would be returned as text, and take longer; floats are exact up to 2^53. */
const LARGE_SUMS = ['impressions', 'likes', 'reposts', 'replies', 'clicks'] as const;
const SMALL_SUMS = ['posts', 'read_posts', 'impression_posts'] as const;

/**
 * Reads the daily metrics and the recently sent posts that are not yet counted in them. It is one statement, so that a
 * post that is being counted is neither missed nor counted twice. Each half is added up separately: PostgreSQL takes daily metrics
 * in the order of their index then, and need not sort them, or keep their sums by day, together with the other half.
 */
export function readDailyMetrics(context: Context, caller: Caller, filter: PostFilter, window: Window) {
  return countedPosts(context, caller, filter, window)
    .unionAll(uncountedPosts(context, caller, filter, window))
    .execute();
}

function countedPosts(context: Context, caller: Caller, filter: PostFilter, { from, to }: Window) {
  const { reach, wanted } = filtersOf(caller, filter);
  // The rows of the whole account answer most requests, and they are fewer.
  const isWhole = wanted.profile_id === undefined && wanted.connection_slug === undefined;
  return tables(context.db.queries)
    .selectFrom('daily_numbers')
    .select((of) => [
      of.cast<string>('day', 'text').as('day'),
      'platform_id',
      ...SMALL_SUMS.map((name) => of.cast<number>(of.fn.sum(name), 'integer').as(name)),
      ...LARGE_SUMS.map((name) => of.fn.sum<number>(of.cast(name, 'double precision')).as(name)),
    ])
    .where((of) => of.and([of.and(reach), of.and(wanted), of.between('day', from, to)]))
    .where((of) => of.and(isWhole ? { scope: 'account', profile_id: NO_PROFILE } : { scope: 'connection' }))
    .groupBy(['day', 'platform_id']);
}

/** Found by `posts_uncounted_index` alone: the planner expects far more uncounted posts than the last minutes have. */
function uncountedPosts(context: Context, caller: Caller, filter: PostFilter, { from, to }: Window) {
  const { reach, wanted } = filtersOf(caller, filter);
  const uncounted = tables(context.db.queries)
    .selectFrom('posts')
    .select(['account_id', 'profile_id', 'platform_id', 'connection_slug', 'mode'])
    .select(sql<string>`(sent_at at time zone 'UTC')::date`.as('day'))
    .where('account_id', '=', caller.accountId)
    .where((of) => of.not('counted'))
    .where('sent_at', 'is not', null)
    .where('sent_at', '>=', sql<string>`${from}::timestamp at time zone 'UTC'`)
    .where('sent_at', '<', sql<string>`(${to}::timestamp + interval '1 day') at time zone 'UTC'`)
    // Stops the planner from using an index of the other filters.
    .offset(0);
  return tables(context.db.queries)
    .selectFrom(uncounted.as('uncounted'))
    .select((of) => [
      of.cast<string>('day', 'text').as('day'),
      'platform_id',
      sql<number>`count(*)::integer`.as('posts'),
      sql<number>`0`.as('read_posts'),
      sql<number>`0`.as('impression_posts'),
      ...LARGE_SUMS.map((name) => sql<number>`0`.as(name)),
    ])
    .where((of) => of.and([of.and(reach), of.and(wanted)]))
    .groupBy(['day', 'platform_id']);
}

/** The conditions on both tables: what the caller reaches, and what the request asks for. */
export function filtersOf(caller: Caller, { profileId, platform, connectionSlug }: PostFilter) {
  const profile = profileId ?? caller.profileId;
  return {
    reach: {
      account_id: caller.accountId,
      // A live key counts posts of live keys; a test key counts all posts on the one platform it reaches.
      ...(caller.mode === 'test' ? { platform_id: TEST_PLATFORM } : { mode: 'live' as const }),
    },
    wanted: {
      ...(platform === undefined ? {} : { platform_id: platform }),
      ...(connectionSlug === undefined ? {} : { connection_slug: connectionSlug }),
      ...(profile === null ? {} : { profile_id: profile }),
    },
  };
}
