/** When a platform that was unavailable is called again (docs/contract/posts.md#busy-platforms). */
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { LATENESS } from '../scheduling/lateness.ts';
import type { SendablePost } from './claimed-send.ts';
import type { SendOutcome } from './send-outcome.ts';

/** Delays before the first, second and third repeat, in milliseconds. */
const REPEAT_AFTER_MS = [60_000, 5 * 60_000, 15 * 60_000] as const;

/** Maximum backoff that a platform can request. */
const BACKOFF_MAX_MS = 24 * 3_600_000;

/**
 * When a scheduled post is sent again automatically.
 *
 * @returns null when the post is not repeated: it was immediate, it has another outcome, it was repeated three times,
 *   or the next time would be more than a day after it was first due
 */
export function repeatAt(post: SendablePost, outcome: SendOutcome, now: Date): Date | null {
  if (post.scheduledFor === null || outcome.error?.code !== 'platform_unavailable') return null;
  const wait = REPEAT_AFTER_MS[post.repeats];
  if (wait === undefined) return null;
  const time = now.getTime() + Math.max(wait, outcome.retryAfterMs ?? 0);
  const due = post.firstDueAt ?? post.scheduledFor;
  return time - due.getTime() > LATENESS.catchUpMs ? null : new Date(time);
}

/** End of the connection's backoff; null when the platform requested none. */
export function backoffUntil(now: Date, retryAfterMs: number | null | undefined): Date | null {
  if (retryAfterMs === null || retryAfterMs === undefined) return null;
  return new Date(now.getTime() + Math.min(retryAfterMs, BACKOFF_MAX_MS));
}

const extendBackoff = statement('extend the backoff of a connection', {
  parameters: { connectionId: 'uuid', until: 'timestamptz' },
  sql: ({ connectionId, until }) => `
    update connections set backoff_until = greatest(backoff_until, ${until})
    where id = ${connectionId} and deleted_at is null`,
});

/**
 * Stores how long a platform asked us to back off on a connection.
 *
 * @param retryAfterMs milliseconds from now; undefined when the platform requested no backoff, and then nothing is
 *   written
 */
export async function noteBackoff(
  context: Context,
  connectionId: string,
  retryAfterMs: number | undefined,
): Promise<void> {
  const until = backoffUntil(context.clock.now(), retryAfterMs);
  if (until !== null) await extendBackoff(context.db.queries, { connectionId, until });
}
