/** RSS and Atom feeds on the wire (docs/contract/feeds.md). */
import { z } from 'zod';
import { FEED_DELIVERIES, FEED_DISABLED_REASONS } from '../../entities/feed.ts';
import { FEED_ITEM_STATUSES } from '../../entities/feed-item.ts';
import { FEED_URL_MAX } from '../../services/feeds/feed-address.ts';
import { hasPlaceholder } from '../../services/feeds/template.ts';
import { ItemError, slugInput, storableText, timestampOutput, uuidInput, uuidOutput } from './common.ts';

export const FeedIdInput = uuidInput('Id of the feed.');

/** Fields of a feed that its users set. */
export const feedInput = {
  url: storableText(z.string().min(1).max(FEED_URL_MAX)).describe('Public address of an RSS or Atom document.'),
  connectionSlugs: z
    .array(storableText(slugInput()))
    .min(1)
    .max(100)
    .describe('Slugs of the connections to write for, 1 to 100.'),
  template: storableText(z.string().trim().min(1).max(5_000))
    .refine(hasPlaceholder, 'a text with {title}, {link} or {summary}')
    .describe(
      'Text of the posts: {title}, {link} and {summary} come from the item. Default {title}, a blank line, {link}.',
    ),
  delivery: z
    .enum(FEED_DELIVERIES)
    .describe('draft (default) stores drafts for a person to publish; queue takes the next free slots.'),
  intervalMinutes: z.int().min(15).max(1_440).describe('Minutes between two polls, 15 to 1,440. Default 60.'),
};

export const Feed = z
  .strictObject({
    id: uuidOutput('Id of the feed.'),
    url: z.string().describe('Address of the document.'),
    connectionSlugs: z.array(z.string()).describe('Slugs of the connections that it writes for.'),
    profileId: uuidOutput('Profile of these connections; null for your own.').nullable(),
    template: z.string().describe('Text of the posts, with placeholders.'),
    delivery: z.enum(FEED_DELIVERIES).describe('Whether items become drafts or queued posts.'),
    intervalMinutes: z.int().describe('Minutes between two polls.'),
    mode: z.enum(['live', 'test']).describe('Mode of the key that added it.'),
    enabled: z.boolean().describe('Whether it is polled.'),
    disabledAt: timestampOutput('Since when it is disabled; null while it is enabled.').nullable(),
    disabledReason: z
      .enum(FEED_DISABLED_REASONS)
      .nullable()
      .describe('requested; failing for three days; gone (HTTP 410); ended with its key or agent; null while enabled.'),
    createdAt: timestampOutput('When it was added.'),
    nextPollAt: timestampOutput('When it is polled next; null while it is disabled.').nullable(),
    lastPolledAt: timestampOutput('When it was polled last; null before the first poll.').nullable(),
    lastOkAt: timestampOutput('When a poll last succeeded; null before.').nullable(),
    lastError: z.string().nullable().describe('Why the latest poll failed; null when it succeeded.'),
  })
  .meta({ id: 'Feed', description: 'An RSS or Atom feed whose new items become posts.' });

export const FeedItem = z
  .strictObject({
    id: uuidOutput('Id of the item.'),
    title: z.string().describe('Title as plain text.'),
    link: z.string().nullable().describe('Address of the item; null without one.'),
    status: z
      .enum(FEED_ITEM_STATUSES)
      .describe(
        'passed: it was there before the feed was given its address, or a restored backup may be older than its posts.',
      ),
    postIds: z.array(uuidOutput('Id of a post.')).describe('The posts that it became.'),
    error: ItemError.nullable().describe('Why it became no post; null otherwise.'),
    createdAt: timestampOutput('When it was taken.'),
  })
  .meta({ id: 'FeedItem', description: 'An item of a feed, with the posts that it became.' });

export const FeedPreview = z
  .strictObject({
    problem: z.string().nullable().describe('Why the feed could not be read; null when it was.'),
    items: z.int().describe('How many items were read, at most 200.'),
    newest: z
      .strictObject({
        title: z.string().describe('Title as plain text.'),
        link: z.string().nullable().describe('Address of the item; null without one.'),
        summary: z.string().describe('Summary as plain text, up to 280 characters.'),
        publishedAt: timestampOutput('When it was published; null without a date.').nullable(),
        text: z.string().describe('The text of the post.'),
      })
      .nullable()
      .describe('The first item of the document; null without items.'),
  })
  .meta({ id: 'FeedPreview', description: 'What the newest item of a feed would become.' });
