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
import { acceptedFor, HAS_WAITED_LONG, latestId, PLANNED_TIME } from './long-waits.ts';
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
  /** Whether the rows are read from the end of the window, latest first; from its start otherwise. */
  readonly latestFirst?: true;
}

/** What the posts of a whole range are read by when it has few of them. */
export type NarrowIndex = { readonly tag: string } | { readonly profileId: string };

export type CalendarRow = Awaited<ReturnType<ReturnType<typeof calendarRows>['execute']>>[number];

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
  'p.created_at',
  'p.url',
] as const;

/** Columns of posts, and of the query around a lateral one. */
const of = expressionBuilder<{ p: Schema['posts'] }, 'p'>();
export const outer = expressionBuilder<{ c: Schema['connections']; t: Schema['post_tags'] }, 'c' | 't'>();

/** When a post goes out or went out, for posts in each of {@link CALENDAR_STATUSES}. */
const TIME = of.fn.coalesce('p.sent_at', 'p.scheduled_for', 'p.created_at');

/**
 * A plan for profiles of average size would read the index of profiles for each connection, and with it all posts of a large
 * profile. Only {@link alongNarrowIndex} uses that index.
 */
export const UNINDEXED_PROFILE = sql<string>`p.profile_id::text`;

/**
 * The query of a window.
 *
 * @param narrow what `planCalendar` gives for this filter; null for every connection
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
    .orderBy('at', orderOf(window))
    .orderBy('id', orderOf(window))
    .limit(unseen(window.limit, 'bigint'))
    .$narrowType<{ status: CalendarStatus }>();
}

function orderOf({ latestFirst }: CalendarWindow): 'asc' | 'desc' {
  return latestFirst === true ? 'desc' : 'asc';
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
    .where('p.id', '>=', unseen(earliest, 'uuid'))
    .where('p.id', '<', unseen(latest, 'uuid'));
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
    .orderBy('at', orderOf(window))
    .orderBy('p.id', orderOf(window))
    .limit(unseen(window.limit, 'bigint'));
  return tables(em).selectFrom(first.as('first')).selectAll();
}

/** Each post is on one side only: one that waited for long may have been accepted shortly before the range too. */
function ofNarrowIndex(read: Read, narrow: NarrowIndex) {
  const shown = CALENDAR_STATUSES.map(literal);
  const soon = postsAt(read, TIME)
    .where('p.status', 'in', shown)
    .where(of(HAS_WAITED_LONG, 'is not', true));
  const late = postsAt(read, PLANNED_TIME).where('p.status', 'in', shown).where(HAS_WAITED_LONG);
  return alongNarrowIndex(read, narrow, soon).unionAll(late);
}

function alongNarrowIndex({ em, caller, window }: Read, narrow: NarrowIndex, posts: ReturnType<typeof postsAt>) {
  const { first, end } = acceptedFor(window);
  if ('profileId' in narrow) {
    const ofProfile = posts
      .where('p.profile_id', '=', narrow.profileId)
      .where('p.id', '>=', first)
      .where('p.id', '<', end);
    return tables(em).selectFrom(ofProfile.as('f')).selectAll('f');
  }
  // Stops the planner from scanning all posts instead, because it cannot know how many have the tag.
  const ofTag = posts.where('p.id', '=', outer.ref('t.post_id')).offset(0);
  return tables(em)
    .selectFrom('post_tags as t')
    .innerJoinLateral(ofTag.as('f'), (join) => join.onTrue())
    .selectAll('f')
    .where('t.account_id', '=', caller.accountId)
    .where('t.tag', '=', narrow.tag)
    .where('t.post_id', '>=', first)
    .where('t.post_id', '<', end);
}

/** The posts that the caller reaches and the filter matches, by one of their times. */
function postsAt({ em, caller, filter, window }: Read, time: Expression<string | null>) {
  const { profileId, platform, tag, connections } = filter;
  const from = unseen(window.from.toISOString(), 'timestamptz');
  const until = unseen(window.until.toISOString(), 'timestamptz');
  const { profile_id: ownProfile, ...reached } = reach(caller);
  const profiles = [ownProfile, profileId].filter((profile) => typeof profile === 'string');
  return tables(em)
    .selectFrom('posts as p')
    .select(COLUMNS)
    .select(of.cast<string>(time, 'timestamptz').as('at'))
    .where((posts) => posts.and(reached))
    .where((posts) => posts.and(profiles.map((profile) => of(UNINDEXED_PROFILE, '=', profile))))
    .where(of(time, '>=', from))
    .where(of(time, '<', until))
    .$if(window.afterId !== null, (posts) =>
      posts.where(of.or([of(time, '>', from), of('p.id', '>', window.afterId ?? '')])),
    )
    .$if(platform !== undefined, (posts) => posts.where('p.platform_id', '=', platform as string))
    .$if(connections !== null, (posts) => posts.where('p.connection_id', '=', anyOf(connections ?? [])))
    .$if(tag.length > 0, (posts) => posts.where('p.tags', '@>', of.val([...tag])));
}

/**
 * A value that PostgreSQL does not see while it plans, so that it keeps one plan along the connections
 * (docs/decisions/0123-plan-the-statements-of-ordinary-requests-once.md). Seeing two ids that are close to each other, it expects no posts
 * between them, and would read those of all accounts by the primary key.
 */
export function unseen<Value extends string | number>(value: Value, type: 'uuid' | 'timestamptz' | 'bigint') {
  return sql<Value>`(select ${of.cast<Value>(of.val(value), type)})`;
}

/** A status in the text of the query: PostgreSQL uses an index of some statuses only then. */
export function literal(status: CalendarStatus) {
  return sql.lit(status);
}
