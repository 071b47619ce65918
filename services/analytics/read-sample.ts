/**
 * Reads the sent posts of a window one by one, each with its metrics, for what daily metrics do not know: tags and hours
 * (docs/decisions/0077-read-tags-and-hours-from-the-newest-posts.md).
 */
import { expressionBuilder, sql } from 'kysely';
import { type Schema, tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { DAY_READ } from '../metrics/read-times.ts';
import { acceptedFor, HAS_WAITED_LONG, PLANNED_TIME } from '../posts/long-waits.ts';
import { filtersOf, type PostFilter } from './read-daily-metrics.ts';
import type { Window } from './window.ts';

/** Most posts that one answer is computed from. */
export const SAMPLE_MAX = 10_000;

const DAY_MS = 86_400_000;

const METRICS = ['impressions', 'likes', 'reposts', 'replies', 'clicks'] as const;

/** A metric that counts what people did with a post. */
type Reaction = Exclude<(typeof METRICS)[number], 'impressions'>;

export interface SampleFilter extends PostFilter {
  /** A post must have all of them. */
  readonly tag?: readonly string[] | undefined;
}

type TaggedFilter = SampleFilter & { readonly tag: readonly string[] };

export type SampledPost = Awaited<ReturnType<typeof readSample>>['posts'][number];

/**
 * Reads the newest posts of the window, at most {@link SAMPLE_MAX}. `dayReactions` is null without a read a day after
 * sending.
 */
export async function readSample(context: Context, caller: Caller, filter: SampleFilter, window: Window) {
  const rows = await tables(context.db.queries)
    .selectFrom(foundPosts(context, caller, filter, window).as('p'))
    .leftJoinLateral(
      (of) =>
        of
          .selectFrom('metrics_reads')
          .selectAll()
          .whereRef('post_id', '=', 'p.id')
          .orderBy('number', 'desc')
          .limit(1)
          .as('r'),
      (join) => join.onTrue(),
    )
    .leftJoinLateral(
      (of) =>
        of
          .selectFrom('metrics_reads')
          .select(({ eb, fn, val }) => {
            const count = (name: Reaction) => fn.coalesce(name, val(0));
            const answers = eb(count('reposts'), '+', count('replies'));
            return eb(eb(count('likes'), '+', count('clicks')), '+', answers).as('reactions');
          })
          .whereRef('post_id', '=', 'p.id')
          .where('number', '>=', DAY_READ)
          .orderBy('number')
          .limit(1)
          .as('d'),
      (join) => join.onTrue(),
    )
    .select((of) => [
      'p.sent_at',
      'p.platform_id',
      'p.tags',
      of('r.post_id', 'is not', null).as('is_read'),
      // 64-bit integers would be returned as text; floats are exact up to 2^53.
      ...METRICS.map((name) => of.cast<number | null>(`r.${name}`, 'float8').as(name)),
      of.cast<number | null>('d.reactions', 'float8').as('dayReactions'),
    ])
    .execute();
  return { posts: rows.slice(0, SAMPLE_MAX), isWhole: rows.length <= SAMPLE_MAX };
}

/** One post more than the sample holds, which shows that there are more. */
const FOUND_MAX = SAMPLE_MAX + 1;

/** The query of the posts, without their metrics. */
export function foundPosts(context: Context, caller: Caller, filter: SampleFilter, window: Window) {
  const { tag = [] } = filter;
  return tag.length > 0
    ? taggedPosts(context, caller, { ...filter, tag }, window)
    : newestPosts(context, caller, filter, window);
}

/** Columns of the query around a lateral one. */
const outer = expressionBuilder<{ c: Schema['connections']; t: Schema['post_tags'] }, 'c' | 't'>();

/** Along the index of each connection by the time of sending. */
function newestPosts(context: Context, caller: Caller, filter: SampleFilter, window: Window) {
  const posts = sentPosts(context, caller, filter, window)
    .where('p.connection_id', '=', outer.ref('c.id'))
    .orderBy('p.sent_at', 'desc')
    .limit(FOUND_MAX);
  return tables(context.db.queries)
    .selectFrom('connections as c')
    .innerJoinLateral(posts.as('f'), (join) => join.onTrue())
    .selectAll('f')
    .where('c.account_id', '=', caller.accountId)
    .orderBy('f.sent_at', 'desc')
    .limit(FOUND_MAX);
}

/** Each post is on one side only, as in the calendar (services/posts/calendar-rows.ts). */
function taggedPosts(context: Context, caller: Caller, filter: TaggedFilter, window: Window) {
  const posts = sentPosts(context, caller, filter, window).where('p.tags', '@>', ({ val }) => val([...filter.tag]));
  const { from, until } = instantsOf(window);
  const late = posts.where(HAS_WAITED_LONG).where(PLANNED_TIME, '>=', from).where(PLANNED_TIME, '<', until);
  const soon = posts.where(({ not }) => not(HAS_WAITED_LONG));
  return tables(context.db.queries)
    .selectFrom(alongTag(context, caller, filter, window, soon).unionAll(late).as('f'))
    .selectAll()
    .orderBy('id', 'desc')
    .limit(FOUND_MAX);
}

/** Along the index of the first tag, whose posts of the time are looked up. */
function alongTag(
  context: Context,
  caller: Caller,
  { tag }: TaggedFilter,
  { from, to }: Window,
  posts: ReturnType<typeof sentPosts>,
) {
  // Stops the planner from scanning all posts instead, because it cannot know how many have the tag.
  const found = posts.where('p.id', '=', outer.ref('t.post_id')).offset(0);
  const { first, end } = acceptedFor({ from: new Date(from), until: new Date(Date.parse(to) + DAY_MS) });
  const newest = tables(context.db.queries)
    .selectFrom('post_tags as t')
    .innerJoinLateral(found.as('f'), (join) => join.onTrue())
    .selectAll('f')
    .where('t.account_id', '=', caller.accountId)
    .where('t.tag', '=', tag[0] ?? '')
    .where('t.post_id', '>=', first)
    .where('t.post_id', '<', end)
    .orderBy('t.post_id', 'desc')
    .limit(FOUND_MAX);
  return tables(context.db.queries).selectFrom(newest.as('newest')).selectAll();
}

function sentPosts(context: Context, caller: Caller, filter: SampleFilter, window: Window) {
  const { reach, wanted } = filtersOf(caller, filter);
  const { from, until } = instantsOf(window);
  return tables(context.db.queries)
    .selectFrom('posts as p')
    .select(['p.id', 'p.sent_at', 'p.platform_id', 'p.tags'])
    .where((of) => of.and([of.and(reach), of.and(wanted)]))
    .where('p.sent_at', 'is not', null)
    .where('p.sent_at', '>=', from)
    .where('p.sent_at', '<', until);
}

/** When the window begins and, not included, ends. */
function instantsOf({ from, to }: Window) {
  return {
    from: sql<string>`${from}::timestamp at time zone 'UTC'`,
    until: sql<string>`(${to}::timestamp + interval '1 day') at time zone 'UTC'`,
  };
}
