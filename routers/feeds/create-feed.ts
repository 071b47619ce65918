/** POST /feeds: adds an RSS or Atom feed whose new items become posts. */
import { z } from 'zod';
import { createFeed as create } from '../../services/feeds/create-feed.ts';
import { DEFAULT_TEMPLATE } from '../../services/feeds/template.ts';
import { uuidInput } from '../schemas/common.ts';
import { Feed, feedInput } from '../schemas/feed.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  url: feedInput.url,
  connectionSlugs: feedInput.connectionSlugs,
  profileId: uuidInput('Profile of the connections. Left out, your own connections are meant.').optional(),
  template: feedInput.template.default(DEFAULT_TEMPLATE),
  delivery: feedInput.delivery.default('draft'),
  intervalMinutes: feedInput.intervalMinutes.default(60),
});

export const createFeed = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/feeds',
      tags: ['Feeds'],
      summary: 'Add a feed',
      description:
        'Adds an RSS or Atom feed. New items become drafts or queued posts, at most ten a poll; items from before are left out. It ends with the key that added it. An account may have 100 feeds.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'invalid_connection', 'limit_exceeded'],
    changes: { type: 'feed', answer: 'feed.id' },
    tool: {
      name: 'create_feed',
      toolset: 'files',
      title: 'Add a feed',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: true,
    },
  })
  .input(Input)
  .output(z.strictObject({ feed: Feed }))
  .mutation(async ({ ctx, input: { profileId = null, ...fields } }) => {
    const { surface } = ctx;
    return { feed: await create(ctx.services, ctx.caller, { ...fields, profileId, surface }) };
  });
