/** An image on the wire (docs/contract/media.md#uploads). */
import { z } from 'zod';
import { IMAGE_TYPES } from '../../entities/media.ts';
import { ALT_TEXT_MAX, IMAGE_MAX_BYTES } from '../../services/images/limits.ts';
import type { MediaView } from '../../services/media/media-view.ts';
import { storableText, timestampOutput, uuidInput, uuidOutput } from './common.ts';

export const AltText = storableText(z.string().max(ALT_TEXT_MAX)).describe(
  `What the image shows, for people who do not see it; at most ${ALT_TEXT_MAX} characters.`,
);

export const ImageContentType = z.enum(IMAGE_TYPES);

export const MediaIdInput = z.strictObject({ mediaId: uuidInput('Id of the image.') });

/**
 * Longest base64 of an image that is read: the length for the largest image plus one group, so that the service reports
 * the error.
 */
const BASE64_MAX = Math.ceil(IMAGE_MAX_BYTES / 3) * 4 + 4;

/** Bytes in JSON. The length must be valid for standard base64, so that decoding loses and adds nothing. */
export const Base64 = z
  .string()
  .max(BASE64_MAX)
  .refine(
    (text) => Buffer.from(text, 'base64').toString('base64') === text,
    'bytes in base64, padded, without line breaks',
  );

export const Media = z
  .strictObject({
    id: uuidOutput('Id of the image; posts name it in mediaIds or media.'),
    contentType: ImageContentType.describe('Type of the image.'),
    sizeBytes: z.int().describe('Size of the file in bytes.'),
    width: z.int().describe('Pixels from side to side, as people see the image.'),
    height: z.int().describe('Pixels from top to bottom, as people see the image.'),
    altText: z
      .string()
      .nullable()
      .describe('What the image shows, for people who do not see it; null when nothing was said.'),
    createdAt: timestampOutput('When it was uploaded.'),
  })
  .meta({ id: 'Media', description: 'An uploaded image.' }) satisfies z.ZodType<MediaView>;
