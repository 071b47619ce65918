/** Sums daily metrics: for a window, for each of its days and for each platform. */
import { daysOf, type Window } from './window.ts';

/** The posts of one day on one platform, as summed by the database. */
export interface DayNumbers {
  readonly day: string;
  readonly platform_id: string;
  readonly posts: number;
  readonly read_posts: number;
  readonly impression_posts: number;
  readonly impressions: number;
  readonly likes: number;
  readonly reposts: number;
  readonly replies: number;
  readonly clicks: number;
}

export interface DayView {
  day: string;
  posts: number;
  /** Null when no post reported any. */
  impressions: number | null;
  likes: number;
  reposts: number;
  replies: number;
}

export interface PlatformView extends Omit<DayView, 'day'> {
  platformId: string;
  clicks: number;
}

export interface TotalsView extends Omit<PlatformView, 'platformId'> {
  readPosts: number;
}

export function totalsOf(rows: readonly DayNumbers[]): TotalsView {
  const sum = (column: Exclude<keyof DayNumbers, 'day' | 'platform_id'>) =>
    rows.reduce((total, row) => total + row[column], 0);
  return {
    posts: sum('posts'),
    readPosts: sum('read_posts'),
    impressions: sum('impression_posts') === 0 ? null : sum('impressions'),
    likes: sum('likes'),
    reposts: sum('reposts'),
    replies: sum('replies'),
    clicks: sum('clicks'),
  };
}

/** One entry for each day of the window, including days without a post. */
export function dayViews(rows: readonly DayNumbers[], window: Window): DayView[] {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  return daysOf(window).map((day) => {
    const { readPosts: _, clicks: __, ...numbers } = totalsOf(byDay.get(day) ?? []);
    return { day, ...numbers };
  });
}

/** In the display order of platforms; platforms without a post are left out. */
export function platformViews(rows: readonly DayNumbers[], platformIds: readonly string[]): PlatformView[] {
  const byPlatform = Map.groupBy(rows, ({ platform_id: platformId }) => platformId);
  return platformIds.flatMap((platformId) => {
    const { readPosts: _, ...numbers } = totalsOf(byPlatform.get(platformId) ?? []);
    return numbers.posts === 0 ? [] : [{ platformId, ...numbers }];
  });
}
