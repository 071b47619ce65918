/** Sums daily metrics: for a window, for each of its days and for each platform. */
import type { DailyMetrics } from './read-daily-metrics.ts';
import { daysOf, type Window } from './window.ts';

export function totalsOf(rows: readonly DailyMetrics[]) {
  const sum = (column: Exclude<keyof DailyMetrics, 'day' | 'platform_id'>) =>
    rows.reduce((total, row) => total + row[column], 0);
  return {
    posts: sum('posts'),
    readPosts: sum('read_posts'),
    /** Null when no post reported any. */
    impressions: sum('impression_posts') === 0 ? null : sum('impressions'),
    likes: sum('likes'),
    reposts: sum('reposts'),
    replies: sum('replies'),
    clicks: sum('clicks'),
  };
}

export type TotalsView = ReturnType<typeof totalsOf>;

export interface DayView extends Omit<TotalsView, 'readPosts'> {
  day: string;
}

export interface PlatformView extends Omit<TotalsView, 'readPosts'> {
  platformId: string;
}

/** One entry for each day of the window, including days without a post. */
export function dayViews(rows: readonly DailyMetrics[], window: Window): DayView[] {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  return daysOf(window).map((day) => {
    const { readPosts: _, ...metrics } = totalsOf(byDay.get(day) ?? []);
    return { day, ...metrics };
  });
}

/** In the display order of platforms; platforms without a post are left out. */
export function platformViews(rows: readonly DailyMetrics[], platformIds: readonly string[]): PlatformView[] {
  const byPlatform = Map.groupBy(rows, ({ platform_id: platformId }) => platformId);
  return platformIds.flatMap((platformId) => {
    const { readPosts: _, ...metrics } = totalsOf(byPlatform.get(platformId) ?? []);
    return metrics.posts === 0 ? [] : [{ platformId, ...metrics }];
  });
}
