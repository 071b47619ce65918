/** When a failed delivery is retried, as data (docs/contract/webhooks.md#retries-of-deliveries). */

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Milliseconds from the start of a failed attempt to the next one: after the first, the second, … */
export const WEBHOOK_WAITS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
];

/** Maximum number of attempts. */
export const ATTEMPTS_MAX = WEBHOOK_WAITS.length + 1;

/** When the next attempt is due; null when the failed one was the last. */
export function nextAttemptAt(failedAttempts: number, attemptedAt: Date): Date | null {
  const wait = WEBHOOK_WAITS[failedAttempts - 1];
  return wait === undefined ? null : new Date(attemptedAt.getTime() + wait);
}
