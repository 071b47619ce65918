/** GET /feeds/{feedId}: a feed and its items, latest first. */
import { z } from 'zod';
import { getFeed as get } from '../../services/feeds/read-feeds.ts';
import { pageInput, pageOutput } from '../schemas/common.ts';
import { Feed, FeedIdInput, FeedItem } from '../schemas/feed.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  feedId: FeedIdInput,
  ...pageInput('items'),
});

const Output = z.strictObject({
  feed: Feed,
  items: z.array(FeedItem).describe('The items, latest first.'),
  ...pageOutput(),
});

export const getFeed = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/feeds/{feedId}',
      tags: ['Feeds'],
      summary: 'Read a feed',
      description: 'Reads a feed and a page of its items, each with the posts that it became or its error.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'get_feed',
      toolset: 'files',
      title: 'Read a feed',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input: { feedId, ...page } }) => {
    const { nextCursor, ...found } = await get(ctx.services, ctx.caller, feedId, page);
    return { ...found, limit: page.limit, nextCursor };
  });
