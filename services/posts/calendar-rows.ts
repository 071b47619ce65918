/**
 * Reads the posts that go out or went out in a window of time, in order of time, along the index of each connection or,
 * for a profile or a tag with few posts, along its own index
 * (docs/decisions/0079-read-the-calendar-along-each-connection.md).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { type Expression, expressionBuilder, sql } from 'kysely';
import { anyOf } from '../../entities/any-of.ts';
import { type Schema, tables } from '../../entities/tables.ts';
import type { PlatformId } from '../../platforms/registry.ts';
import type { Caller } from '../access/caller.ts';
import { earliestId, ID_SLACK_MS } from '../ids.ts';
import { reach } from './reachable-posts.ts';

/** The statuses that the calendar shows. */
export const CALENDAR_STATUSES = ['scheduled', 'processing', 'sent', 'failed'] as const;
type CalendarStatus = (typeof CALENDAR_STATUSES)[number];

export interface CalendarRowFilter {
  readonly profileId?: string | undefined;
  readonly platform?: PlatformId | undefined;
  /** Tags; a post must have all of them. */
  readonly tag: readonly string[];
  /** Ids of connections; null for any. */
  readonly connections: readonly string[] | null;
}

/** A window of time, and where the rows begin in it. */
export interface CalendarWindow {
  readonly from: Date;
  /** Not included. */
  readonly until: Date;
  /** Of the posts at `from`, only those with a greater id; null for all. */
  readonly afterId: string | null;
  /** Most rows. */
  readonly limit: number;
}

/** What the posts are read by, when it has at most {@link FEW} posts: cheaper than every connection. */
export type NarrowIndex = { readonly tag: string } | { readonly profileId: string };

export type CalendarRow = Awaited<ReturnType<ReturnType<typeof calendarRows>['execute']>>[number];

/** As many posts are looked up in less time than those of a busy month take. */
const FEW = 20_000;

const COLUMNS = [
  'p.id',
  'p.text',
  'p.status',
  'p.connection_id',
  'p.connection_slug',
  'p.platform_id',
  'p.profile_id',
  'p.queued',
  'p.tags',
  'p.error_code',
  'p.error_message',
  'p.scheduled_for',
  'p.sent_at',
] as const;

/** Columns of posts, and of the query around a lateral one. */
const of = expressionBuilder<{ p: Schema['posts'] }, 'p'>();
const outer = expressionBuilder<{ c: Schema['connections']; t: Schema['post_tags'] }, 'c' | 't'>();

/** When a post goes out or went out, for posts in each of {@link CALENDAR_STATUSES}. */
const TIME = of.fn.coalesce('p.sent_at', 'p.scheduled_for', 'p.created_at');

/** The index on posts that is narrow enough to be read in full; null for none. */
export async function findNarrowIndex(
  em: SqlEntityManager,
  caller: Caller,
  filter: CalendarRowFilter,
  until: Date,
): Promise<NarrowIndex | null> {
  // The connections that the filter names are few.
  if (filter.connections !== null) return null;
  const before = latestId(until);
  for (const tag of filter.tag) {
    const next = await tables(em)
      .selectFrom('post_tags')
      .select('post_id')
      .where('account_id', '=', caller.accountId)
      .where('tag', '=', tag)
      .where('post_id', '<', before)
      .orderBy('post_id')
      .offset(FEW)
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return { tag };
  }
  const profileId = filter.profileId ?? caller.profileId;
  if (profileId === null) return null;
  const next = await tables(em)
    .selectFrom('posts')
    .select('id')
    .where('account_id', '=', caller.accountId)
    .where('profile_id', '=', profileId)
    .where('id', '<', before)
    .orderBy('id')
    .offset(FEW)
    .limit(1)
    .executeTakeFirst();
  return next === undefined ? { profileId } : null;
}

/**
 * The query of a window.
 *
 * @param narrow what {@link findNarrowIndex} gives for this filter
 */
export function calendarRows(
  em: SqlEntityManager,
  caller: Caller,
  filter: CalendarRowFilter,
  narrow: NarrowIndex | null,
  window: CalendarWindow,
) {
  const read = { em, caller, filter, window };
  const found = narrow === null ? ofConnections(read) : ofNarrowIndex(read, narrow);
  return tables(em)
    .selectFrom(found.as('found'))
    .selectAll()
    .orderBy('at')
    .orderBy('id')
    .limit(window.limit)
    .$narrowType<{ status: CalendarStatus }>();
}

interface Read {
  readonly em: SqlEntityManager;
  readonly caller: Caller;
  readonly filter: CalendarRowFilter;
  readonly window: CalendarWindow;
}

/** Along the index of each connection by time, deleted ones too. The posts without such an index are few. */
function ofConnections(read: Read) {
  const { em, caller, filter, window } = read;
  const ofEach = sent(read, 'live')
    .unionAll(sent(read, 'test'))
    .unionAll(due(read, 'scheduled'))
    .unionAll(due(read, 'failed'));
  const platform = filter.platform ?? reach(caller).platform_id;
  const [earliest, latest] = [earliestId(new Date(Math.max(+window.from - ID_SLACK_MS, 0))), latestId(window.until)];
  const failedAtOnce = postsAt(read, of.ref('p.created_at'))
    .where('p.status', '=', literal('failed'))
    .where('p.scheduled_for', 'is', null)
    .where('p.id', '>=', earliest)
    .where('p.id', '<', latest);
  return tables(em)
    .selectFrom('connections as c')
    .innerJoinLateral(ofEach.as('f'), (join) => join.onTrue())
    .selectAll('f')
    .where('c.account_id', '=', caller.accountId)
    .$if(filter.connections !== null, (connections) => connections.where('c.id', '=', anyOf(filter.connections ?? [])))
    .$if(platform !== undefined, (connections) => connections.where('c.platform_id', '=', platform as string))
    .unionAll(postsAt(read, TIME).where('p.status', '=', literal('processing')))
    .unionAll(failedAtOnce);
}

function sent(read: Read, mode: 'live' | 'test') {
  const posts = postsAt(read, of.ref('p.sent_at'))
    .where('p.mode', '=', mode)
    .where('p.sent_at', 'is not', null)
    .where('p.status', '=', literal('sent'));
  return ofOneConnection(read, posts);
}

function due(read: Read, status: 'scheduled' | 'failed') {
  return ofOneConnection(read, postsAt(read, of.ref('p.scheduled_for')).where('p.status', '=', literal(status)));
}

/** Limited for each connection, so that no connection with many posts in the window is read in full. */
function ofOneConnection({ em, window }: Read, posts: ReturnType<typeof postsAt>) {
  const first = posts
    .where('p.connection_id', '=', outer.ref('c.id'))
    .orderBy('at')
    .orderBy('p.id')
    .limit(window.limit);
  return tables(em).selectFrom(first.as('first')).selectAll();
}

function ofNarrowIndex(read: Read, narrow: NarrowIndex) {
  const posts = postsAt(read, TIME).where('p.status', 'in', CALENDAR_STATUSES.map(literal));
  if ('profileId' in narrow) return posts;
  // Stops the planner from scanning all posts instead, because it cannot know how many have the tag.
  const ofTag = posts.where('p.id', '=', outer.ref('t.post_id')).offset(0);
  return tables(read.em)
    .selectFrom('post_tags as t')
    .innerJoinLateral(ofTag.as('f'), (join) => join.onTrue())
    .selectAll('f')
    .where('t.account_id', '=', read.caller.accountId)
    .where('t.tag', '=', narrow.tag);
}

/** The posts that the caller reaches and the filter matches, by one of their times. */
function postsAt({ em, caller, filter, window }: Read, time: Expression<string | null>) {
  const { profileId, platform, tag, connections } = filter;
  const [from, until] = [window.from.toISOString(), window.until.toISOString()];
  return tables(em)
    .selectFrom('posts as p')
    .select(COLUMNS)
    .select(of.cast<string>(time, 'timestamptz').as('at'))
    .where((posts) => posts.and(reach(caller)))
    .where(of(time, '>=', from))
    .where(of(time, '<', until))
    .$if(window.afterId !== null, (posts) =>
      posts.where(of.or([of(time, '>', from), of('p.id', '>', window.afterId ?? '')])),
    )
    .$if(profileId !== undefined, (posts) => posts.where('p.profile_id', '=', profileId as string))
    .$if(platform !== undefined, (posts) => posts.where('p.platform_id', '=', platform as string))
    .$if(connections !== null, (posts) => posts.where('p.connection_id', '=', anyOf(connections ?? [])))
    .$if(tag.length > 0, (posts) => posts.where('p.tags', '@>', of.val([...tag])));
}

/** A status in the text of the query: PostgreSQL uses an index of some statuses only then. */
function literal(status: CalendarStatus) {
  return sql.lit(status);
}

/** Sorts after the ids of all posts that were accepted before an instant. */
function latestId(instant: Date): string {
  return earliestId(new Date(+instant + ID_SLACK_MS));
}
