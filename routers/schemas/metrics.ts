/** Metrics of posts on the wire (docs/contract/metrics.md#reads-of-a-post). */
import { z } from 'zod';
import { timestampOutput } from './common.ts';

const count = (description: string) => z.int().min(0).describe(description);

export const MetricsRead = z
  .strictObject({
    fetchedAt: timestampOutput('When the numbers were read.'),
    impressions: count('Times it was shown.').nullable(),
    likes: count('Likes.').nullable(),
    reposts: count('Reposts; quotes too on Bluesky.').nullable(),
    replies: count('Replies or comments.').nullable(),
    clicks: count('Clicks.').nullable(),
  })
  .meta({
    id: 'MetricsRead',
    description: 'Running totals of a post. Null is a number that the platform does not report, which is not zero.',
  });

const reactions = {
  posts: count('Posts that went out.'),
  impressions: count('Times they were shown; null when none reported it.').nullable(),
  likes: count('Likes.'),
  reposts: count('Reposts.'),
  replies: count('Replies or comments.'),
};

const clicks = count('Clicks.');

const day = (description: string) => z.string().meta({ format: 'date', description });

export const Analytics = {
  totals: z
    .strictObject({ ...reactions, readPosts: count('Posts whose numbers were read at least once.'), clicks })
    .describe('All posts of the window, each at its newest read.'),
  days: z
    .array(z.strictObject({ day: day('UTC day.'), ...reactions }))
    .describe('Every UTC day of the window, by the day posts went out.'),
  byPlatform: z
    .array(z.strictObject({ platformId: z.string().describe('Platform.'), ...reactions, clicks }))
    .describe('The platforms that have posts in the window.'),
  from: day('First day of the window.'),
  to: day('Last day of the window.'),
};
