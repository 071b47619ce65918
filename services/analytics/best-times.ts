/** Finds the hours of the week whose posts people reacted to most (docs/contract/metrics.md#best-times). Pure. */

/** An hour with fewer posts says little: one post that did well would make it the best. */
export const HOUR_POSTS_MIN = 5;

/** How many hours are named as the best. */
const BEST_MAX = 3;

/** Offsets from UTC are multiples of a quarter of an hour, so all instants of one have the same weekday and hour. */
const QUARTER_MS = 900_000;

export interface TimedPost {
  readonly sentAt: Date;
  /** Likes, reposts, replies and clicks a day after sending; null when they were not read then. */
  readonly reactions: number | null;
}

export interface HourView {
  /** 0 (Sunday) to 6, as in queues. */
  weekday: number;
  /** 0 to 23, on the clocks of the zone. */
  hour: number;
  posts: number;
  medianReactions: number;
}

export interface BestTimesView {
  timezone: string;
  posts: number;
  minPosts: number;
  best: HourView[];
  hours: HourView[];
  note: string | null;
}

/** @param timezone that the runtime knows */
export function bestTimes(posts: readonly TimedPost[], timezone: string): BestTimesView {
  const read = posts.filter((post): post is TimedPost & { reactions: number } => post.reactions !== null);
  const hourOf = hoursIn(timezone);
  const hours = [...Map.groupBy(read, ({ sentAt }) => hourOf(sentAt))]
    .toSorted(([a], [b]) => a - b)
    .map(([hour, sent]): HourView => ({
      weekday: Math.floor(hour / 24),
      hour: hour % 24,
      posts: sent.length,
      medianReactions: median(sent.map(({ reactions }) => reactions)),
    }));
  const best = hours
    .filter((hour) => hour.posts >= HOUR_POSTS_MIN && hour.medianReactions > 0)
    .toSorted((a, b) => b.medianReactions - a.medianReactions || b.posts - a.posts)
    .slice(0, BEST_MAX);
  return {
    timezone,
    posts: read.length,
    minPosts: HOUR_POSTS_MIN,
    best,
    hours,
    note: noteOf(read.length, hours, best),
  };
}

/** Says why no hour is named as the best; null when one is. */
function noteOf(posts: number, hours: readonly HourView[], best: readonly HourView[]): string | null {
  if (best.length > 0) return null;
  if (posts === 0) return 'Too few posts: no post of the window has metrics of a day after sending yet.';
  if (hours.some((hour) => hour.posts >= HOUR_POSTS_MIN)) {
    return `No best time: the median post of each hour with ${HOUR_POSTS_MIN} posts or more got no reaction.`;
  }
  const most = Math.max(...hours.map((hour) => hour.posts));
  return `Too few posts: no hour of the week has ${HOUR_POSTS_MIN} posts; the most in one is ${most}, of ${posts} in all.`;
}

/** Gives the hour of the week of an instant, 0 (Sunday, midnight) to 167. */
function hoursIn(timezone: string): (instant: Date) => number {
  const known = new Map<number, number>();
  return (instant) => {
    const quarter = Math.floor(instant.getTime() / QUARTER_MS);
    const found = known.get(quarter);
    if (found !== undefined) return found;
    const { dayOfWeek, hour } = Temporal.Instant.fromEpochMilliseconds(quarter * QUARTER_MS).toZonedDateTimeISO(
      timezone,
    );
    const ofWeek = (dayOfWeek % 7) * 24 + hour;
    known.set(quarter, ofWeek);
    return ofWeek;
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [upper = 0, lower = upper] = [sorted[middle], sorted[middle - 1]];
  return sorted.length % 2 === 1 ? upper : (lower + upper) / 2;
}
