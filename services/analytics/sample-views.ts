/** Adds up posts that were read one by one: by tag, and by day and platform as the daily metrics are. */
import { totalsOf, type TotalsView } from './add-up.ts';
import type { DailyMetrics } from './read-daily-metrics.ts';
import type { SampledPost } from './read-sample.ts';

export interface TagView extends TotalsView {
  tag: string;
}

/** Most tags that are listed; those with the most posts. */
export const TAGS_LISTED_MAX = 50;

/** Each post in the shape of the daily metrics of its day. */
export function asDailyMetrics(posts: readonly SampledPost[]): DailyMetrics[] {
  return posts.map(metricsOf);
}

/** The tags with the most posts first. A post with several tags counts for each. */
export function tagViews(posts: readonly SampledPost[]): TagView[] {
  const tagged = posts.flatMap((post) => post.tags.map((tag) => ({ tag, post })));
  return [...Map.groupBy(tagged, ({ tag }) => tag)]
    .map(([tag, all]) => ({ tag, ...totalsOf(all.map(({ post }) => metricsOf(post))) }))
    .toSorted((a, b) => b.posts - a.posts || (a.tag < b.tag ? -1 : 1))
    .slice(0, TAGS_LISTED_MAX);
}

function metricsOf(post: SampledPost): DailyMetrics {
  const { sent_at: sentAt, platform_id, is_read: isRead, impressions, likes, reposts, replies, clicks } = post;
  return {
    day: new Date(sentAt ?? 0).toISOString().slice(0, 10),
    platform_id,
    posts: 1,
    read_posts: isRead ? 1 : 0,
    impression_posts: impressions === null ? 0 : 1,
    impressions: impressions ?? 0,
    likes: likes ?? 0,
    reposts: reposts ?? 0,
    replies: replies ?? 0,
    clicks: clicks ?? 0,
  };
}
