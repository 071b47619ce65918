/** The sent posts of a window that a caller reaches and a filter matches, and the connections that they can be of. */
import { sql } from 'kysely';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { UNINDEXED_PROFILE } from '../posts/calendar-rows.ts';
import { reachInAccount } from '../posts/reachable-posts.ts';
import { filtersOf, type PostFilter } from './read-daily-metrics.ts';
import type { Window } from './window.ts';

export function sentPosts(context: Context, caller: Caller, filter: PostFilter, window: Window) {
  const { reach, wanted } = filtersOf(caller, filter);
  const { profile_id: profileId, ...others } = wanted;
  const { from, until } = instantsOf(window);
  return tables(context.db.queries)
    .selectFrom('posts as p')
    .select(['p.id', 'p.sent_at', 'p.platform_id', 'p.tags'])
    .where((of) => of.and([of.and(reach), of.and(others)]))
    .$if(profileId !== undefined, (posts) => posts.where(UNINDEXED_PROFILE, '=', profileId ?? ''))
    .where('p.sent_at', 'is not', null)
    .where('p.sent_at', '>=', from)
    .where('p.sent_at', '<', until);
}

/** When the window begins and, not included, ends. */
export function instantsOf({ from, to }: Window) {
  return {
    from: sql<string>`${from}::timestamp at time zone 'UTC'`,
    until: sql<string>`(${to}::timestamp + interval '1 day') at time zone 'UTC'`,
  };
}

/** The connections of the platform that the filter asks for, deleted ones too. A connection never changes its platform. */
export function connectionsOf(context: Context, caller: Caller, filter: PostFilter) {
  const platforms = [reachInAccount(caller).platform_id, filter.platform].filter((platform) => platform !== undefined);
  return tables(context.db.queries)
    .selectFrom('connections as c')
    .where('c.account_id', '=', caller.accountId)
    .where((of) => of.and(platforms.map((platform) => of('c.platform_id', '=', platform))));
}
