/** Sums daily metrics: for a window, for each of its days and for each platform. */
import type { DailyMetrics } from './read-daily-metrics.ts';
import { daysOf, type Window } from './window.ts';

export function totalsOf(rows: readonly DailyMetrics[]) {
  const sums = nothing();
  for (const row of rows) add(sums, row);
  const { posts, ...metrics } = metricsOf(sums);
  return { posts, readPosts: sums.readPosts, ...metrics };
}

export type TotalsView = ReturnType<typeof totalsOf>;

type MetricsView = ReturnType<typeof metricsOf>;

export interface DayView extends MetricsView {
  day: string;
}

export interface PlatformView extends MetricsView {
  platformId: string;
}

/** One entry for each day of the window, including days without a post. */
export function dayViews(rows: readonly DailyMetrics[], window: Window): DayView[] {
  const byDay = sumsBy(rows, 'day');
  const none = nothing();
  return daysOf(window).map((day) => ({ day, ...metricsOf(byDay.get(day) ?? none) }));
}

/** In the display order of platforms; platforms without a post are left out. */
export function platformViews(rows: readonly DailyMetrics[], platformIds: readonly string[]): PlatformView[] {
  const byPlatform = sumsBy(rows, 'platform_id');
  return platformIds.flatMap((platformId) => {
    const sums = byPlatform.get(platformId);
    return sums === undefined || sums.posts === 0 ? [] : [{ platformId, ...metricsOf(sums) }];
  });
}

type Sums = ReturnType<typeof nothing>;

const nothing = () => ({
  posts: 0,
  readPosts: 0,
  impressionPosts: 0,
  impressions: 0,
  likes: 0,
  reposts: 0,
  replies: 0,
  clicks: 0,
});

/** In one pass, without an array of the rows of each day. */
function sumsBy(rows: readonly DailyMetrics[], column: 'day' | 'platform_id'): Map<string, Sums> {
  const found = new Map<string, Sums>();
  for (const row of rows) {
    let sums = found.get(row[column]);
    if (sums === undefined) {
      sums = nothing();
      found.set(row[column], sums);
    }
    add(sums, row);
  }
  return found;
}

function add(sums: Sums, row: DailyMetrics): void {
  sums.posts += row.posts;
  sums.readPosts += row.read_posts;
  sums.impressionPosts += row.impression_posts;
  sums.impressions += row.impressions;
  sums.likes += row.likes;
  sums.reposts += row.reposts;
  sums.replies += row.replies;
  sums.clicks += row.clicks;
}

function metricsOf({ posts, impressionPosts, impressions, likes, reposts, replies, clicks }: Sums) {
  return {
    posts,
    /** Null when no post reported any. */
    impressions: impressionPosts === 0 ? null : impressions,
    likes,
    reposts,
    replies,
    clicks,
  };
}
