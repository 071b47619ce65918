/**
 * Time limits of the steps of a send. Their sum is below the lease, so that no recovery claims a send that is still
 * running.
 */

export const SEND_TIMES = {
  /** Uploading the images of a post. */
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

/** End of a claim that is made or extended now. */
export function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + SEND_TIMES.leaseMs);
}
