/** POST /feeds/{feedId}/poll: lets a worker look for new items now. */
import { z } from 'zod';
import { pollFeedNow } from '../../services/feeds/update-feed.ts';
import { Feed, FeedIdInput } from '../schemas/feed.ts';
import { keyedProcedure } from '../procedures.ts';

export const pollFeed = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/feeds/{feedId}/poll',
      tags: ['Feeds'],
      summary: 'Poll a feed now',
      description:
        'Lets a worker look for new items as soon as possible, at most once a minute. The answer has the time in nextPollAt; read the feed for the outcome. A disabled feed stays disabled.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'poll_feed',
      toolset: 'files',
      title: 'Poll a feed now',
      readOnly: false,
      destructive: false,
      idempotent: true,
      openWorld: true,
    },
  })
  .input(z.strictObject({ feedId: FeedIdInput }))
  .output(z.strictObject({ feed: Feed }))
  .mutation(async ({ ctx, input }) => ({ feed: await pollFeedNow(ctx.services, ctx.caller, input.feedId) }));
