/** GET /media/{mediaId}/raw: the image itself, byte for byte as it was uploaded. */
import { z } from 'zod';
import { IMAGE_TYPES } from '../../entities/media.ts';
import { readMediaBytes } from '../../services/media/read-media-bytes.ts';
import { ImageContentType, MediaIdInput } from '../schemas/media.ts';
import { keyedProcedure } from '../procedures.ts';

/** An image never changes, but it may be deleted. */
const MAX_AGE_SECONDS = 3600;

const Output = z.strictObject({
  bytes: z.string().describe('The file in base64. In REST the file itself is the body.'),
  contentType: ImageContentType.describe('Type of the image. In REST the header Content-Type.'),
  fileName: z.string().describe('A name for the file. In REST it is in Content-Disposition.'),
});

export const getMediaRaw = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/media/{mediaId}/raw',
      tags: ['Media'],
      summary: 'Get the bytes of an image',
      description: 'Gives an uploaded image back, byte for byte, with its type.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request', 'not_found'],
    tool: { none: 'An image is a file, and tool results carry text: get_media tells what is known of it.' },
    rawAnswer: { contentTypes: IMAGE_TYPES, maxAgeSeconds: MAX_AGE_SECONDS },
  })
  .input(MediaIdInput)
  .output(Output)
  .query(async ({ ctx, input }) => {
    const { bytes, contentType, fileName } = await readMediaBytes(ctx.services, ctx.caller, input.mediaId);
    return { bytes: Buffer.from(bytes).toString('base64'), contentType, fileName };
  });
