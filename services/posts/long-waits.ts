/** Bounds when posts were accepted by when they go out, and names those that waited for longer. */
import { expressionBuilder, sql } from 'kysely';
import type { Schema } from '../../entities/tables.ts';
import { earliestId, ID_SLACK_MS } from '../ids.ts';

/**
 * Most posts go out at most this long after they were accepted, because none is scheduled further ahead. Drafts that were
 * published later and posts that were rescheduled are in `posts_long_wait_index`.
 */
const WAIT_DAYS = 31;
const WAIT_MS = WAIT_DAYS * 86_400_000;

const of = expressionBuilder<{ p: Schema['posts'] }, 'p'>();

/** When a post that was scheduled or sent goes out. Must match the expression of `posts_long_wait_index` word for word. */
export const PLANNED_TIME = of.fn.coalesce('p.sent_at', 'p.scheduled_for');

/** Must match the condition of `posts_long_wait_index` word for word. */
export const HAS_WAITED_LONG = sql<boolean>`coalesce(p.sent_at, p.scheduled_for) - p.created_at > interval '31 days'`;

/** The ids of posts that were accepted at most {@link WAIT_DAYS} days before they go out in the range. */
export function acceptedFor({ from, until }: { readonly from: Date; readonly until: Date }) {
  return { first: earliestId(new Date(Math.max(+from - WAIT_MS - ID_SLACK_MS, 0))), end: latestId(until) };
}

/** Sorts after the ids of all posts that were accepted before an instant. */
export function latestId(instant: Date): string {
  return earliestId(new Date(+instant + ID_SLACK_MS));
}
