/**
 * Analytics of the posts of a window (docs/contract/metrics.md#analytics): from the daily metrics, and from single posts
 * for what those do not know.
 */
import { ServiceError } from '../../errors/service-error.ts';
import { PLATFORM_IDS } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { requireProfileFilter } from '../access/profile-exists.ts';
import { isTimeZone } from '../scheduling/time-zone.ts';
import { type DayView, dayViews, type PlatformView, platformViews, totalsOf, type TotalsView } from './add-up.ts';
import { bestTimes, type BestTimesView } from './best-times.ts';
import { type DailyMetrics, readDailyMetrics } from './read-daily-metrics.ts';
import { readSample, SAMPLE_MAX, type SampledPost, type SampleFilter } from './read-sample.ts';
import { asDailyMetrics, type TagView, tagViews } from './sample-views.ts';
import { type Window, windowOf } from './window.ts';

/** Parts of the answer that are computed from single posts. */
export const ANALYTICS_PARTS = ['tags', 'times'] as const;
type Part = (typeof ANALYTICS_PARTS)[number];

export interface AnalyticsFilter extends SampleFilter {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly include?: readonly Part[] | undefined;
  /** IANA zone of the best times. */
  readonly timezone?: string | undefined;
}

/** The wire format: routers/schemas/metrics.ts satisfies it. */
export interface Analytics extends Window {
  totals: TotalsView;
  days: DayView[];
  byPlatform: PlatformView[];
  byTag?: TagView[];
  bestTimes?: BestTimesView;
  sample?: SampleView;
}

export interface SampleView {
  posts: number;
  max: number;
  isWhole: boolean;
}

/**
 * @throws ServiceError invalid_request for a window that is empty or too long, a profile the caller does not reach, or an
 *   unknown time zone
 */
export async function readAnalytics(context: Context, caller: Caller, filter: AnalyticsFilter): Promise<Analytics> {
  const window = windowOf(filter, context.clock.now());
  const { profileId, tag = [], include = [], timezone = 'UTC' } = filter;
  if (!isTimeZone(timezone)) {
    const words = `timezone: "${timezone.slice(0, 60)}" is not an IANA time zone such as Europe/Paris.`;
    throw new ServiceError('invalid_request', words);
  }
  await requireProfileFilter(context, caller, profileId);
  const daily = await readDailyMetrics(context, caller, filter, window);
  if (tag.length + include.length === 0) return viewsOf(daily, window);
  const { posts, isWhole } = await readSample(context, caller, filter, daily);
  return {
    ...viewsOf(tag.length > 0 ? asDailyMetrics(posts) : daily, window),
    ...sampleViews(posts, isWhole, include, timezone),
  };
}

function viewsOf(rows: readonly DailyMetrics[], window: Window) {
  return {
    totals: totalsOf(rows),
    days: dayViews(rows, window),
    byPlatform: platformViews(rows, PLATFORM_IDS),
    ...window,
  };
}

function sampleViews(posts: readonly SampledPost[], isWhole: boolean, include: readonly Part[], timezone: string) {
  const timed = () =>
    posts.map(({ sent_at: sentAt, dayReactions }) => ({ sentAt: new Date(sentAt ?? 0), reactions: dayReactions }));
  return {
    ...(include.includes('tags') && { byTag: tagViews(posts) }),
    ...(include.includes('times') && { bestTimes: bestTimes(timed(), timezone) }),
    sample: { posts: posts.length, max: SAMPLE_MAX, isWhole },
  };
}
