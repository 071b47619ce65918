/** DELETE /feeds/{feedId}: ends a feed. */
import { z } from 'zod';
import { deleteFeed as remove } from '../../services/feeds/update-feed.ts';
import { uuidOutput } from '../schemas/common.ts';
import { FeedIdInput } from '../schemas/feed.ts';
import { keyedProcedure } from '../procedures.ts';

export const deleteFeed = keyedProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/feeds/{feedId}',
      tags: ['Feeds'],
      summary: 'Delete a feed',
      description: 'Ends a feed and forgets which items it has seen. Posts and drafts that it has made stay.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'delete_feed',
      toolset: 'files',
      title: 'Delete a feed',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      confirmation: 'Delete this feed? Its drafts and posts stay.',
    },
  })
  .input(z.strictObject({ feedId: FeedIdInput }))
  .output(z.strictObject({ id: uuidOutput('Id of the feed.'), deleted: z.literal(true) }))
  .mutation(async ({ ctx, input }) => {
    await remove(ctx.services, ctx.caller, input.feedId);
    return { id: input.feedId, deleted: true as const };
  });
