/**
 * POST /media: accepts an image as raw bytes, checks that it is complete and has the declared type, and stores it for
 * posts.
 */
import { z } from 'zod';
import { IMAGE_TYPES } from '../../entities/media.ts';
import { IMAGE_MAX_BYTES } from '../../services/images/limits.ts';
import { uploadMedia as upload } from '../../services/media/upload-media.ts';
import { AltText, Base64, ImageContentType, Media } from '../schemas/media.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  bytes: Base64.describe('The image file in base64. In REST the file itself is the body.'),
  contentType: ImageContentType.describe('Type of the image. In REST the header Content-Type.'),
  altText: AltText.optional(),
});

const Output = z.strictObject({ media: Media });

export const uploadMedia = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/media',
      tags: ['Media'],
      summary: 'Upload an image',
      description:
        'Takes a PNG, JPEG, GIF or WebP of at most 8 MiB as the raw body. Its id goes into mediaIds or media of posts. All images of an account may take 50 MiB; the images of a post are freed a day after the last attempt to send it, and those that no post names 7 days after their upload.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: [
      'invalid_request',
      'unsupported_content_type',
      'media_type_mismatch',
      'media_too_large',
      'storage_full',
      'server_busy',
    ],
    changes: { type: 'media', answer: 'media.id' },
    tool: {
      none: 'An image is a file, and tool calls carry text: upload_media_from_url fetches one, and POST /media of the REST API takes one.',
    },
    rawBody: {
      field: 'bytes',
      contentTypes: IMAGE_TYPES,
      expected: 'image/png, image/jpeg, image/gif or image/webp',
      query: ['altText'],
      bytes: { max: IMAGE_MAX_BYTES, tooLarge: 'media_too_large', contentTypeField: 'contentType' },
    },
  })
  .input(Input)
  .output(Output)
  .mutation(async ({ ctx, input }) => {
    const { bytes, contentType, altText = null } = input;
    return {
      media: await upload(ctx.services, ctx.caller, { bytes: Buffer.from(bytes, 'base64'), contentType, altText }),
    };
  });
