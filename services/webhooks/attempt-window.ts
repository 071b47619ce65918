/**
 * How many attempts at one webhook may be in flight (docs/contract/webhooks.md#order-and-fairness): one at first, twice as
 * many with each round of quick answers, half as many after a slow one, and one after a failure.
 */

/** Most attempts in flight at one webhook. */
export const IN_FLIGHT_MAX = 16;

/** An answer that takes this long is slow. */
const SLOW_MS = 1_000;

export interface AttemptWindow {
  /** From 1 to IN_FLIGHT_MAX. */
  size(): number;
  /** Adapts the size to the end of an attempt. */
  record(delivered: boolean, tookMs: number): void;
}

export function createAttemptWindow(): AttemptWindow {
  let size = 1;
  return {
    size: () => size,
    record: (delivered, tookMs) => {
      if (!delivered) size = 1;
      else if (tookMs >= SLOW_MS) size = Math.max(1, Math.floor(size / 2));
      else size = Math.min(IN_FLIGHT_MAX, size + 1);
    },
  };
}
