/** Rules for posts that are found late, as data (docs/contract/scheduling.md#late-posts). */

export const LATENESS = {
  /** A post that is late by at most this much is sent normally. */
  toleratedMs: 5 * 60_000,
  /** A post with a time set by hand is still sent when it is late by at most this much; beyond that it fails. */
  catchUpMs: 24 * 3_600_000,
  /** Interval between late posts of one connection. */
  spacingMs: 60_000,
} as const;

/** A post due before this instant is late at `now`. */
export function lateBefore(now: Date): Date {
  return new Date(now.getTime() - LATENESS.toleratedMs);
}
