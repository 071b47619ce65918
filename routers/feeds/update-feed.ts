/** PATCH /feeds/{feedId}: changes what a feed writes and for whom, and whether it is polled. */
import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { updateFeed as update } from '../../services/feeds/update-feed.ts';
import { Feed, FeedIdInput, feedInput } from '../schemas/feed.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  feedId: FeedIdInput,
  url: feedInput.url.optional(),
  connectionSlugs: feedInput.connectionSlugs.optional(),
  template: feedInput.template.optional(),
  delivery: feedInput.delivery.optional(),
  intervalMinutes: feedInput.intervalMinutes.optional(),
  enabled: z.boolean().optional().describe('false stops polling; true lets it go on at once.'),
});

export const updateFeed = keyedProcedure
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/feeds/{feedId}',
      tags: ['Feeds'],
      summary: 'Change a feed',
      description:
        'Changes a feed, or disables or enables it; only what is sent. Its posts are then made with the rights of this key, unless only intervalMinutes or enabled: false is sent. Posts that it has made stay.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'invalid_connection', 'not_found'],
    tool: {
      name: 'update_feed',
      toolset: 'files',
      title: 'Change a feed',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: true,
    },
  })
  .input(Input)
  .output(z.strictObject({ feed: Feed }))
  .mutation(async ({ ctx, input: { feedId, ...changes } }) => {
    if (Object.values(changes).every((value) => value === undefined)) {
      const names = 'url, connectionSlugs, template, delivery, intervalMinutes, enabled';
      throw new ServiceError('invalid_request', `body: name at least one of ${names}.`);
    }
    return { feed: await update(ctx.services, ctx.caller, feedId, { ...changes, surface: ctx.surface }) };
  });
