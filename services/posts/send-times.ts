/** How long the steps of a send may take. Together they stay below the lease, so that nobody recovers a send that still runs. */

export const SEND_TIMES = {
  /** Uploading the images of a post. */
  prepareMs: 40_000,
  /** One call that makes a part. */
  publishMs: 30_000,
  /** One look for a part whose answer was lost. */
  readBackMs: 8_000,
  /** The same call again, where that is safe. */
  repeatMs: 8_000,
  /** One call that takes a part down; it is repeated once when its answer is lost. */
  removeMs: 25_000,
  /** Wait before the second look: the lost request may still be on its way into the platform. */
  secondLookAfterMs: 2_000,
  /** How long a claim holds before another worker may take it over (docs/contract/posts.md#interrupted-sends). */
  leaseMs: 60_000,
} as const;

/** Until when a claim made or extended now holds. */
export function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + SEND_TIMES.leaseMs);
}
