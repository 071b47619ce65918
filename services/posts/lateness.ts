/** What becomes of a post that is found late, as data (docs/contract/scheduling.md#late-posts). */

export const LATENESS = {
  /** Up to so late, a post simply goes out. */
  toleratedMs: 5 * 60_000,
  /** Up to so late, a post at a time set by hand goes out after all; later, it fails. */
  catchUpMs: 24 * 3_600_000,
  /** How far apart late posts of one connection go out. */
  spacingMs: 60_000,
} as const;

/** A post whose time is before this instant is late at `now`. */
export function lateBefore(now: Date): Date {
  return new Date(now.getTime() - LATENESS.toleratedMs);
}
