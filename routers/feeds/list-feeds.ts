/** GET /feeds: the feeds that a key manages, newest first. */
import { z } from 'zod';
import { listFeeds as list } from '../../services/feeds/read-feeds.ts';
import { pageInput, pageOutput } from '../schemas/common.ts';
import { Feed } from '../schemas/feed.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  ...pageInput('feeds'),
});

const Output = z.strictObject({
  feeds: z.array(Feed).describe('The feeds, newest first.'),
  ...pageOutput(),
});

export const listFeeds = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/feeds',
      tags: ['Feeds'],
      summary: 'List feeds',
      description: 'Lists the feeds within the reach of the key, newest first, with the outcome of the latest poll.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request'],
    tool: {
      name: 'list_feeds',
      toolset: 'files',
      title: 'List feeds',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => {
    const { items, nextCursor } = await list(ctx.services, ctx.caller, input);
    return { feeds: items, limit: input.limit, nextCursor };
  });
