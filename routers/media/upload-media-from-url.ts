/** POST /media/from-url: fetches an image from a public address, checks it like an upload, and stores it for posts. */
import { z } from 'zod';
import { fetchImage, IMAGE_URL_MAX } from '../../services/media/fetch-image.ts';
import { uploadMedia } from '../../services/media/upload-media.ts';
import { storableText } from '../schemas/common.ts';
import { AltText, Media } from '../schemas/media.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  url: storableText(z.string().min(1).max(IMAGE_URL_MAX)).meta({
    format: 'uri',
    description: 'Public https address that answers with the image itself, not with a page.',
  }),
  altText: AltText.optional(),
});

const Output = z.strictObject({ media: Media });

export const uploadMediaFromUrl = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/media/from-url',
      tags: ['Media'],
      summary: 'Fetch an image',
      description:
        'Fetches a PNG, JPEG, GIF or WebP of at most 8 MiB from a public address. Its id goes into media of posts.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: [
      'invalid_request',
      'media_unreachable',
      'media_type_mismatch',
      'media_too_large',
      'storage_full',
      'server_busy',
    ],
    changes: { type: 'media', answer: 'media.id' },
    tool: {
      name: 'upload_media_from_url',
      toolset: 'posting',
      title: 'Fetch an image',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: true,
    },
  })
  .input(Input)
  .output(Output)
  .mutation(async ({ ctx, input: { url, altText = null } }) => {
    const image = await fetchImage(ctx.services, url);
    return { media: await uploadMedia(ctx.services, ctx.caller, { ...image, altText }) };
  });
