/** GET /media/{mediaId}: the metadata of one image. */
import { z } from 'zod';
import { findMedia } from '../../services/media/find-media.ts';
import { mediaView } from '../../services/media/media-view.ts';
import { Media, MediaIdInput } from '../schemas/media.ts';
import { keyedProcedure } from '../procedures.ts';

const Output = z.strictObject({ media: Media });

export const getMedia = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/media/{mediaId}',
      tags: ['Media'],
      summary: 'Get an image',
      description: 'Reads what is known of one uploaded image by its id: type, size, width, height and alt text.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'get_media',
      toolset: 'media',
      title: 'Get an image',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(MediaIdInput)
  .output(Output)
  .query(async ({ ctx, input }) => ({ media: mediaView(await findMedia(ctx.services, ctx.caller, input.mediaId)) }));
