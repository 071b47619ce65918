/** Which posts failed within a week. */
import type { Inputs, Outputs } from '../../data/api-types.ts';

type Post = Outputs['posts']['list']['posts'][number];

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/** Lists go by when a post was written, which is up to 30 days before it goes out. */
const WRITTEN_BEFORE_MS = 30 * DAY_MS;

/** Most posts that the service lists in one answer. */
const LISTED_MAX = 100;

const SHOWN = 10;

/** Most posts of which the attempts are read: a third of the requests that the service allows in a minute. */
const ATTEMPTS_READ_MAX = 20;

/** The filter of the list to read. It changes once a day, so that the answer is kept as long. */
export function failedFilter(now: number): Inputs['posts']['list'] {
  const from = new Date(now - WEEK_MS - WRITTEN_BEFORE_MS).toISOString().slice(0, 10);
  return { status: 'failed', from, limit: LISTED_MAX };
}

/** A failed post, and when it failed. */
export interface Failure {
  readonly post: Post;
  readonly at: number;
}

/** A post that was retried here, as it was before. */
export interface Retried extends Failure {
  /** Whether it is being sent. */
  readonly isPending: boolean;
}

/**
 * Failed posts of a list of which only their attempts say when they failed: one that is sent at once has no scheduled
 * time, also when it was written, or scheduled first, long before.
 */
export function undatedFailures(posts: readonly Post[], now: number): Post[] {
  return posts
    .filter(({ status, scheduledFor, createdAt }) => {
      return status === 'failed' && scheduledFor === null && Date.parse(createdAt) < now - WEEK_MS;
    })
    .slice(0, ATTEMPTS_READ_MAX);
}

/**
 * The posts of a list that failed within a week, the latest failure first.
 *
 * @param attempted when posts were last sent, by their id, of those whose attempts were read
 * @param retried posts that were retried here, by their id. They keep their place while they are sent, and while they
 *   are failed.
 */
export function failedThisWeek(
  posts: readonly Post[],
  now: number,
  attempted: ReadonlyMap<string, string>,
  retried: ReadonlyMap<string, Retried>,
): Failure[] {
  const failed = posts.filter(({ status }) => status === 'failed');
  const current = new Map(failed.map((post) => [post.id, post]));
  const kept = [...retried.values()]
    .filter(({ post, isPending }) => isPending || current.has(post.id))
    .map(({ post, at }) => ({ post: current.get(post.id) ?? post, at }));
  const others = failed
    .filter(({ id }) => !retried.has(id))
    .map((post) => ({ post, at: Date.parse(post.scheduledFor ?? attempted.get(post.id) ?? post.createdAt) }))
    .filter(({ at }) => at >= now - WEEK_MS)
    .toSorted(latestFirst)
    .slice(0, Math.max(SHOWN - kept.length, 0));
  return [...kept, ...others].toSorted(latestFirst);
}

function latestFirst(one: Failure, other: Failure): number {
  return other.at - one.at;
}
