/** GET /media: the images that can be used in posts, newest first. */
import { z } from 'zod';
import { listMedia as list } from '../../services/media/list-media.ts';
import { cursorInput, nextCursorOutput, pagination } from '../schemas/common.ts';
import { Media } from '../schemas/media.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  unused: z.boolean().default(false).describe('true gives only images that no post names.'),
  limit: pagination.limit,
  cursor: cursorInput(),
});

const Output = z.strictObject({ media: z.array(Media), nextCursor: nextCursorOutput() });

export const listMedia = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/media',
      tags: ['Media'],
      summary: 'List images',
      description:
        'Lists the uploaded images that the key reaches, newest first. With unused=true, those that no post names: they are freed 7 days after their upload, or at once with DELETE /media/{mediaId}.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request'],
    tool: {
      name: 'list_media',
      toolset: 'media',
      title: 'List images',
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
    return { media: items, nextCursor };
  });
