/** Metrics of posts on the wire (docs/contract/metrics.md#reads-of-a-post). */
import { z } from 'zod';
import type { Analytics as AnalyticsView } from '../../services/analytics/read-analytics.ts';
import type { MetricsView } from '../../services/metrics/metrics-view.ts';
import { timestampOutput } from './common.ts';

const count = (description: string) => z.int().min(0).describe(description);

export const MetricsRead = z
  .strictObject({
    fetchedAt: timestampOutput('When the metrics were read.'),
    impressions: count('Times it was shown.').nullable(),
    likes: count('Likes.').nullable(),
    reposts: count('Reposts; quotes too on Bluesky.').nullable(),
    replies: count('Replies or comments.').nullable(),
    clicks: count('Clicks.').nullable(),
  })
  .meta({
    id: 'MetricsRead',
    description: 'Running totals of a post. Null is a number that the platform does not report, which is not zero.',
  }) satisfies z.ZodType<MetricsView>;

const posts = count('Posts that went out.');

const readPosts = count('Posts whose metrics were read at least once.');

const reactions = {
  impressions: count('Times they were shown; null when none reported it.').nullable(),
  likes: count('Likes.'),
  reposts: count('Reposts.'),
  replies: count('Replies or comments.'),
  clicks: count('Clicks.'),
};

const day = (description: string) => z.string().meta({ format: 'date', description });

const hours = z.array(
  z
    .strictObject({
      weekday: z.int().min(0).max(6).describe('Day of the week, 0 (Sunday) to 6.'),
      hour: z.int().min(0).max(23).describe('Hour of the day.'),
      posts: count('Posts that the median rests on.'),
      medianReactions: z.number().min(0).describe('Median of their likes, reposts, replies and clicks together.'),
    })
    .meta({ id: 'HourOfWeek', description: 'An hour of the week, with the reactions to its posts.' }),
);

const BestTimes = z.strictObject({
  timezone: z.string().describe('Zone of the weekdays and hours.'),
  posts: count('Posts with a read a day or more after sending; only these are compared, at the first such read.'),
  minPosts: count('Posts that an hour needs to be named as one of the best.'),
  best: hours.describe('At most 3 hours, the best first; empty when there are too few posts.'),
  hours: hours.describe('Every hour of the week with posts, also with too few.'),
  note: z.string().nullable().describe('Why no hour is named as the best; null when one is.'),
});

export const Analytics = {
  totals: z
    .strictObject({ posts, readPosts, ...reactions })
    .describe('All posts of the window, each at its newest read.'),
  days: z
    .array(z.strictObject({ day: day('UTC day.'), posts, ...reactions }))
    .describe('Every UTC day of the window, by the day posts went out.'),
  byPlatform: z
    .array(z.strictObject({ platformId: z.string().describe('Platform.'), posts, ...reactions }))
    .describe('The platforms that have posts in the window.'),
  from: day('First day of the window.'),
  to: day('Last day of the window.'),
  byTag: z
    .array(
      z.strictObject({
        tag: z.string().describe('Tag.'),
        posts,
        readPosts,
        ...reactions,
      }),
    )
    .optional()
    .describe('With include=tags: at most 50 tags, those with the most posts first.'),
  bestTimes: BestTimes.optional().describe('With include=times: hours of the week by the reactions to their posts.'),
  sample: z
    .strictObject({
      posts: count('Posts that were looked at.'),
      max: count('Most posts that are looked at, the newest first.'),
      isWhole: z.boolean().describe('Whether these are all posts of the window.'),
    })
    .optional()
    .describe('The posts that tags and times, and with a tag all metrics, are computed from.'),
} satisfies { [Field in keyof Required<AnalyticsView>]: z.ZodType<AnalyticsView[Field]> };
