/** POST /feeds/preview: reads a feed once and says what its newest item would become, without adding it. */
import { z } from 'zod';
import { previewFeed as preview } from '../../services/feeds/preview-feed.ts';
import { DEFAULT_TEMPLATE } from '../../services/feeds/template.ts';
import { FeedPreview, feedInput } from '../schemas/feed.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({ url: feedInput.url, template: feedInput.template.default(DEFAULT_TEMPLATE) });

export const previewFeed = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/feeds/preview',
      tags: ['Feeds'],
      summary: 'Preview a feed',
      description:
        'Reads an RSS or Atom feed once and gives the text that its newest item would become. Stores nothing. A feed that cannot be read is no error of the request: problem says why.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request'],
    changes: 'nothing',
    tool: {
      name: 'preview_feed',
      toolset: 'files',
      title: 'Preview a feed',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: true,
    },
  })
  .input(Input)
  .output(z.strictObject({ preview: FeedPreview }))
  .mutation(async ({ ctx, input: { url, template } }) => ({ preview: await preview(ctx.services, url, template) }));
