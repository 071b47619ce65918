/** When it is written down that a key, a grant or a sign-in was used: at most once a minute, since each is used with every request. */

/** How old the time of the last use may grow before it is written again. */
const STEP_MS = 60_000;

/** @param last what is written; null for never */
export function isUseStale(last: Date | string | null, now: Date): boolean {
  return last === null || now.getTime() - new Date(last).getTime() >= STEP_MS;
}
