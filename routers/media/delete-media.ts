/** DELETE /media/{mediaId}: deletes an image that no post needs any more. */
import { z } from 'zod';
import { deleteMedia as remove } from '../../services/media/delete-media.ts';
import { uuidOutput } from '../schemas/common.ts';
import { MediaIdInput } from '../schemas/media.ts';
import { keyedProcedure } from '../procedures.ts';

const Output = z.strictObject({ id: uuidOutput('Id of the image.'), deleted: z.literal(true) });

export const deleteMedia = keyedProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/media/{mediaId}',
      tags: ['Media'],
      summary: 'Delete an image',
      description:
        'Deletes an uploaded image and frees its storage. Refused while a draft, scheduled or processing post needs it.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'not_found', 'media_in_use'],
    tool: {
      name: 'delete_media',
      toolset: 'media',
      title: 'Delete an image',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      confirmation: 'Delete this image? It cannot be brought back.',
    },
  })
  .input(MediaIdInput)
  .output(Output)
  .mutation(async ({ ctx, input }) => {
    await remove(ctx.services, ctx.caller, input.mediaId);
    return { id: input.mediaId, deleted: true as const };
  });
