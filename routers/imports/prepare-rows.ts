/** Validates the rows of a file with the schema of POST /posts, one error a row (docs/contract/import-export.md#rows). */
import { z } from 'zod';
import { invalidInput } from '../../errors/error-body.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { csvFields } from '../../services/imports/csv-fields.ts';
import type { ImportPost } from '../../services/imports/import-post.ts';
import type { ReadRow } from '../../services/imports/start-import.ts';
import { type RawRow, readRows } from '../../services/imports/read-rows.ts';
import { ALT_TEXT_MAX, IMAGES_PER_POST_MAX } from '../../services/images/limits.ts';
import { IMAGE_URL_MAX } from '../../services/media/fetch-image.ts';
import { storableText } from '../../services/storable-text.ts';
import { isStorable, optionalOrNull, storableText as storableTextInput } from '../schemas/common.ts';
import { checkInputBounds } from '../schemas/input-bounds.ts';
import { mediaOf, postBodyFields } from '../schemas/post-body.ts';

function isWebAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

const Image = z
  .strictObject({
    id: z.string().max(100).optional(),
    url: storableTextInput(z.string().max(IMAGE_URL_MAX)).refine(isWebAddress, 'an http(s) address').optional(),
    altText: optionalOrNull(storableTextInput(z.string().max(ALT_TEXT_MAX))),
  })
  .refine(({ id, url }) => (id === undefined) !== (url === undefined), 'either an id or a url');

const Row = z.strictObject({ ...postBodyFields, images: z.array(Image).max(IMAGES_PER_POST_MAX).optional() });

/** What rows get that do not say it themselves. */
export interface RowDefaults {
  readonly connectionSlugs?: readonly string[] | undefined;
  readonly profileId?: string | undefined;
  readonly timezone?: string | undefined;
  /** What to do with a row that has no time, and asks for neither a queue nor a draft. */
  readonly untimed: 'draft' | 'queue' | 'now';
}

/** @throws ServiceError invalid_request when the file as a whole cannot be read, or names an unknown column */
export function prepareRows(format: 'csv' | 'json', content: string, defaults: RowDefaults): ReadRow[] {
  return readRows(format, content).map((row) => prepareRow(format, row, defaults));
}

function prepareRow(format: 'csv' | 'json', row: RawRow, defaults: RowDefaults): ReadRow {
  if ('error' in row) return failed(`The row cannot be read: ${row.error}`);
  const fields = withDefaults(format === 'csv' ? csvFields(row.fields) : row.fields, defaults);
  try {
    checkInputBounds(fields);
    // A reader that does not know an encoding writes this character in place of what it could not read.
    if (JSON.stringify(fields).includes('\uFFFD')) {
      return failed('The row has characters that could not be read: save the file as UTF-8.');
    }
    const post = readPost(fields);
    return isStorableThroughout(post) ? { post } : failed('The row has text with NUL or broken surrogate pairs.');
  } catch (error) {
    if (error instanceof z.ZodError) return failed(invalidInput(error, fields).message);
    if (error instanceof ServiceError) return failed(error.message);
    throw error;
  }
}

/** Slugs and ids of images have no schema that checks this, because a request stores them only when they are known. */
function isStorableThroughout(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorableThroughout);
}

function readPost(fields: Record<string, unknown>): ImportPost {
  const { images, media: _media, mediaIds: _ids, ...post } = Row.parse(fields);
  const named = mediaOf({ media: _media, mediaIds: _ids });
  if (images !== undefined && named !== undefined) {
    throw new ServiceError('invalid_request', 'images: cannot be combined with media or mediaIds; send one of them.');
  }
  const all = images ?? named;
  return all === undefined ? post : { ...post, images: all };
}

/** A message that quotes the name of a field, which may have NUL: it shows NUL as JSON writes it, and can be stored. */
function failed(message: string): ReadRow {
  return { error: { code: 'invalid_request', message: storableText(message.replaceAll('\u0000', '\\u0000')) } };
}

/** A time with an offset takes no zone. */
const HAS_OFFSET = /(?:[zZ]|[+-]\d{2}:?\d{2})$/;

function withDefaults(
  fields: Readonly<Record<string, unknown>>,
  { connectionSlugs, profileId, timezone, untimed }: RowDefaults,
): Record<string, unknown> {
  const { scheduledFor, queue, isDraft } = fields;
  const time = typeof scheduledFor === 'string' ? scheduledFor : null;
  // False only refuses the queue or the draft. It does not ask for publication at once, which `now` alone does.
  const isUntimed = [scheduledFor, queue, isDraft].every((value) => value == null || value === false);
  return {
    ...(connectionSlugs !== undefined && { connectionSlugs }),
    ...(timezone !== undefined && time !== null && !HAS_OFFSET.test(time) && { timezone }),
    ...fields,
    ...(isUntimed && untimed === 'draft' && { isDraft: true }),
    ...(isUntimed && untimed === 'queue' && { queue: true }),
    // Null, as answers show it, names no profile either.
    ...(profileId !== undefined && fields['profileId'] == null && { profileId }),
  };
}
