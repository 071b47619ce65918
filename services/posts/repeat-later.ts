/**
 * Decides when a scheduled post is sent again automatically because its platform was unavailable
 * (docs/contract/posts.md#busy-platforms). Pure.
 */
import type { SendablePost } from './claimed-send.ts';
import { LATENESS } from './lateness.ts';
import type { SendOutcome } from './send-outcome.ts';

/** Delays before the first, second and third repeat, in milliseconds. */
const REPEAT_AFTER_MS = [60_000, 5 * 60_000, 15 * 60_000] as const;

/**
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
