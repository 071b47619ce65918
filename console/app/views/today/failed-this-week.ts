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

/** The filter of the list to read. It changes once a day, so that the answer is kept as long. */
export function failedFilter(now: number): Inputs['posts']['list'] {
  const from = new Date(now - WEEK_MS - WRITTEN_BEFORE_MS).toISOString().slice(0, 10);
  return { status: 'failed', from, limit: LISTED_MAX };
}

/** The newest posts of a list that were to go out within a week. */
export function failedThisWeek(posts: readonly Post[], now: number): Post[] {
  return posts
    .filter(({ status, scheduledFor, createdAt }) => {
      return status === 'failed' && Date.parse(scheduledFor ?? createdAt) >= now - WEEK_MS;
    })
    .slice(0, SHOWN);
}
