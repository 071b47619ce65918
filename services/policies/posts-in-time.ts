/** Counts posts in every window of a length, not only in the hours and days of the clock. */

/** At most `most` posts in any `span` milliseconds. */
export interface TimeLimit {
  readonly most: number;
  readonly span: number;
}

/** @param times when other posts go out, in milliseconds, sorted */
export function allowsOneMore(times: readonly number[], at: Date, { most, span }: TimeLimit): boolean {
  const time = at.getTime();
  // A window that contains too many can be moved until it begins with one of its posts.
  for (let first = indexFrom(times, time - span + 1); (times[first] ?? time) < time; first += 1) {
    const start = times[first] as number;
    if (indexFrom(times, start + span) - first + 1 > most) return false;
  }
  return indexFrom(times, time + span) - indexFrom(times, time) + 1 <= most;
}

/** The first time from which there is room. */
export function nextAllowed(times: readonly number[], at: Date, limit: TimeLimit): Date {
  const ends = times.map((time) => time + limit.span).filter((end) => end > at.getTime());
  const found = ends.find((end) => allowsOneMore(times, new Date(end), limit));
  return new Date(found ?? at.getTime() + limit.span);
}

/** Index of the first time that is not before `from`. */
function indexFrom(times: readonly number[], from: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
