/**
 * Reads the sent posts of a window one by one, each with its metrics, for what daily metrics do not know: tags and hours
 * (docs/decisions/0077-read-tags-and-hours-from-the-newest-posts.md).
 */
import { anyOf } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { DAY_READ } from '../metrics/read-times.ts';
import { outer } from '../posts/calendar-rows.ts';
import { acceptedFor, HAS_WAITED_LONG, PLANNED_TIME } from '../posts/long-waits.ts';
import { findSenders } from './find-senders.ts';
import type { DailyMetrics, PostFilter } from './read-daily-metrics.ts';
import { connectionsOf, instantsOf, sentPosts } from './sent-posts.ts';
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
 * Reads the newest posts of the filter, at most {@link SAMPLE_MAX}. `dayReactions` is null without a read a day after
 * sending.
 *
 * @param daily metrics of the filter, but for its tags
 */
export async function readSample(
  context: Context,
  caller: Caller,
  filter: SampleFilter,
  daily: readonly DailyMetrics[],
) {
  if (daily.length === 0) return { posts: [], isWhole: true };
  const found = await foundPosts(context, caller, filter, daily);
  const rows = await tables(context.db.queries)
    .selectFrom(found.posts.as('p'))
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
  return { posts: rows.slice(0, SAMPLE_MAX), isWhole: found.isWhole && rows.length <= SAMPLE_MAX };
}

/** One post more than the sample holds, which shows that there are more. */
const FOUND_MAX = SAMPLE_MAX + 1;

/**
 * The query of the posts, without their metrics.
 *
 * @returns also whether it selects from all posts of the filter, and not only from the newest
 */
async function foundPosts(context: Context, caller: Caller, filter: SampleFilter, daily: readonly DailyMetrics[]) {
  const { tag = [] } = filter;
  const newestFirst = daily.toSorted((a, b) => (a.day < b.day ? 1 : -1));
  const sent = daily.reduce((sum, { posts }) => sum + posts, 0);
  if (tag.length > 0) {
    const tagged = { ...filter, tag };
    const allDays = daysOf(newestFirst);
    const isAlongTag = sent > SAMPLE_MAX || !(await hasMoreTagged(context, caller, tagged, allDays, sent));
    if (isAlongTag) return { posts: taggedPosts(context, caller, tagged, allDays), isWhole: true };
  }
  const newest = newestRows(newestFirst);
  const days = daysOf(newest);
  const senders = await findSenders(context, caller, filter, newest, days);
  return { posts: newestPosts(context, caller, filter, days, senders), isWhole: sent <= SAMPLE_MAX };
}

/** Whether more posts have the first tag than this, which then are more than the rest of the filter has. Reads the index alone. */
async function hasMoreTagged(
  context: Context,
  caller: Caller,
  filter: TaggedFilter,
  days: Window,
  count: number,
): Promise<boolean> {
  const next = await tagsOf(context, caller, filter, days).select('t.post_id').offset(count).limit(1).execute();
  return next.length > 0;
}

/** As far as the sample reaches: without this bound, all posts of a long window would be sorted to find the newest. */
function newestRows(newestFirst: readonly DailyMetrics[]): readonly DailyMetrics[] {
  let posts = 0;
  for (const { day, posts: sent } of newestFirst) {
    posts += sent;
    if (posts > SAMPLE_MAX) return newestFirst.filter((row) => row.day >= day);
  }
  return newestFirst;
}

/** @param newestFirst one row at least */
function daysOf(newestFirst: readonly DailyMetrics[]): Window {
  return { from: newestFirst.at(-1)?.day ?? '', to: newestFirst[0]?.day ?? '' };
}

/** Along the index of each connection by the time of sending. */
function newestPosts(
  context: Context,
  caller: Caller,
  filter: SampleFilter,
  days: Window,
  senders: readonly string[] | null,
) {
  const posts = samplePosts(context, caller, filter, days)
    .where('p.connection_id', '=', outer.ref('c.id'))
    // Tells PostgreSQL how many posts they have. It expects an average connection otherwise, which may have half of the table.
    .$if(senders !== null, (sent) => sent.where('p.connection_id', '=', anyOf(senders ?? [])))
    .orderBy('p.sent_at', 'desc')
    .limit(FOUND_MAX);
  return connectionsOf(context, caller, filter)
    .innerJoinLateral(posts.as('f'), (join) => join.onTrue())
    .selectAll('f')
    .$if(senders !== null, (connections) => connections.where('c.id', '=', anyOf(senders ?? [])))
    .orderBy('f.sent_at', 'desc')
    .limit(FOUND_MAX);
}

/** Each post is on one side only, as in the calendar (services/posts/calendar-rows.ts). */
function taggedPosts(context: Context, caller: Caller, filter: TaggedFilter, window: Window) {
  const posts = samplePosts(context, caller, filter, window);
  const { from, until } = instantsOf(window);
  const late = posts.where(HAS_WAITED_LONG).where(PLANNED_TIME, '>=', from).where(PLANNED_TIME, '<', until);
  const soon = posts.where(({ not }) => not(HAS_WAITED_LONG));
  return tables(context.db.queries)
    .selectFrom(alongTag(context, caller, filter, window, soon).unionAll(late).as('f'))
    .selectAll()
    .orderBy('id', 'desc')
    .limit(FOUND_MAX);
}

/** Looks up the posts of the first tag, the newest first. */
function alongTag(
  context: Context,
  caller: Caller,
  filter: TaggedFilter,
  window: Window,
  posts: ReturnType<typeof samplePosts>,
) {
  // Stops the planner from scanning all posts instead, because it cannot know how many have the tag.
  const found = posts.where('p.id', '=', outer.ref('t.post_id')).offset(0);
  const newest = tagsOf(context, caller, filter, window)
    .innerJoinLateral(found.as('f'), (join) => join.onTrue())
    .selectAll('f')
    .limit(FOUND_MAX);
  return tables(context.db.queries).selectFrom(newest.as('newest')).selectAll();
}

/** The rows of the first tag, along its index, for posts that can have been sent in the window. */
function tagsOf(context: Context, caller: Caller, { tag }: TaggedFilter, { from, to }: Window) {
  const { first, end } = acceptedFor({ from: new Date(from), until: new Date(Date.parse(to) + DAY_MS) });
  return tables(context.db.queries)
    .selectFrom('post_tags as t')
    .where('t.account_id', '=', caller.accountId)
    .where('t.tag', '=', tag[0] ?? '')
    .where('t.post_id', '>=', first)
    .where('t.post_id', '<', end)
    .orderBy('t.post_id', 'desc');
}

function samplePosts(context: Context, caller: Caller, filter: SampleFilter, window: Window) {
  const { tag = [] } = filter;
  return sentPosts(context, caller, filter, window).$if(tag.length > 0, (posts) =>
    posts.where('p.tags', '@>', ({ val }) => val([...tag])),
  );
}
