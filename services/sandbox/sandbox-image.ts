/** An image as the sandbox's public page shows it: made from the upload each time, without its metadata. */
import { query } from '../../entities/query.ts';
import type { ImageFacts } from '../../platforms/contract.ts';
import { platformOf, TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { type ConvertedImage, convertImage } from '../media/convert-image.ts';
import type { ImageType } from '../media/limits.ts';

/** Real time that making the image may take, in milliseconds. */
const CONVERT_MS = 15_000;

const IMAGE = `
  select m.id, m.content_type from sandbox_posts s join media m on m.id = (s.images -> $2::int ->> 'mediaId')::uuid
  where s.id = $1 and s.deleted_at is null and m.state = 'stored'`;

/**
 * @param position which of the post's images, from 0
 * @returns null when there is no such post or image, or its upload was deleted or freed
 */
export async function sandboxImage(
  context: Context,
  sandboxPostId: string,
  position: number,
): Promise<ConvertedImage | null> {
  const [row] = await query<{ id: string; content_type: ImageType }>(context.db.em(), IMAGE, [sandboxPostId, position]);
  const bytes = row === undefined ? null : await context.media.get(row.id);
  if (row === undefined || bytes === null) return null;
  const facts = platformOf(context.platforms, TEST_PLATFORM).images as ImageFacts;
  return convertImage(bytes, row.content_type, facts, context.clock.deadline(CONVERT_MS));
}
