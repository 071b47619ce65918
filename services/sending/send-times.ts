/**
 * Time limits of the steps of a send. Those between two renewals of the claim are together below the lease, so that no
 * recovery claims a send that is still running.
 */
import type { Clock } from '../clock.ts';

export const SEND_TIMES = {
  /** Uploading the images of a post. Reading them comes before it, and the claim is renewed between the two if it must be. */
  prepareMs: 40_000,
  /** One call that publishes a part. */
  publishMs: 30_000,
  /** One lookup of a part whose answer was lost. */
  readBackMs: 8_000,
  /** The same call again, when that is safe. */
  repeatMs: 8_000,
  /** One call that deletes a part; it is repeated once when its answer is lost. */
  removeMs: 25_000,
  /** Wait before the second lookup: the platform may still be processing the lost request. */
  secondLookAfterMs: 2_000,
  /** How long a claim is valid before another worker may take it over (docs/contract/posts.md#interrupted-sends). */
  leaseMs: 60_000,
} as const;

/** Longest time from the call that publishes a part to its outcome: the call, and two lookups when its answer is lost. */
export const PART_MS = SEND_TIMES.publishMs + 2 * SEND_TIMES.readBackMs + SEND_TIMES.secondLookAfterMs;

/** How long a claim holds, as the process that made it knows it. */
export interface Lease {
  /** The instant that is stored: from then on, another worker may take the post over. */
  readonly until: Date;
  /** The same instant in elapsed time, because the clock may be set back meanwhile. */
  readonly untilElapsed: number;
}

/** The lease of a claim that is made or extended now. It begins before its statement is sent, which may wait for long. */
export function leaseNow(clock: Clock): Lease {
  return { until: leaseFrom(clock.now()), untilElapsed: clock.elapsed() + SEND_TIMES.leaseMs };
}

/** Milliseconds until a lease ends; negative afterwards. */
export function leaseLeft(clock: Clock, { until, untilElapsed }: Lease): number {
  return Math.min(until.getTime() - clock.now().getTime(), untilElapsed - clock.elapsed());
}

/** End of a claim that is made or extended now. */
export function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + SEND_TIMES.leaseMs);
}
