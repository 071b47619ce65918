/**
 * Decides when to record the last use of a key, grant or sign-in: at most once a minute, because every request uses
 * one.
 */

/** How old the recorded time of the last use may be before it is updated. */
const STEP_MS = 60_000;

/** @param last the recorded time; null for never */
export function isUseStale(last: Date | string | null, now: Date): boolean {
  return last === null || now.getTime() - new Date(last).getTime() >= STEP_MS;
}
