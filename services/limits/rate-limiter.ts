/**
 * The sliding window that counts requests of each key and endpoint group
 * (docs/contract/errors-and-limits.md#rate-limits).
 */

/** Length of the window. */
export const WINDOW_SECONDS = 60;

/** State of the window after one request. */
export interface RateState {
  readonly allowed: boolean;
  /** Requests allowed in the window. */
  readonly limit: number;
  /** Requests left after this one. */
  readonly remaining: number;
  /** Unix seconds at which the oldest counted request ages out. */
  readonly resetAt: number;
}

export interface RateLimiter {
  readonly limit: number;
  /**
   * Counts one request, unless the window is full: refused requests do not count
   * (docs/contract/errors-and-limits.md#order-of-a-request).
   */
  take(bucket: string, now: Date): Promise<RateState>;
  /** Whether the windows are in the database. Then one round trip checks a key and counts its request (RATE_LIMIT). */
  readonly countsInDatabase?: boolean;
}

/** Counts requests by key and endpoint group, exactly across all processes. */
export interface WithLimiter {
  readonly limiter: RateLimiter;
}

/**
 * Counts requests without a key, exactly across all processes; buckets are named `<machine> <group>`, see
 * network-of.ts.
 */
export interface WithPublicLimiter {
  readonly publicLimiter: RateLimiter;
}

/** Unix seconds at which a request counted at `oldest` ages out. */
export function resetAfter(oldest: Date): number {
  return Math.ceil(oldest.getTime() / 1000) + WINDOW_SECONDS;
}

/** Whole seconds until a request fits again, at least one: the Retry-After value of a refused request. */
export function secondsUntilReset({ resetAt }: RateState, now: Date): number {
  return Math.max(1, resetAt - Math.floor(now.getTime() / 1000));
}
