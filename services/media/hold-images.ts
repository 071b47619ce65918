/** Holds the images of a post that gets a new time: from then on they are needed, and are not freed. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { column } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import type { ItemError } from '../../errors/item-error.ts';

// Locks images in the order of housekeeping, which frees none of them once the post is scheduled.
const lockImages = statement('lock the images of a post', {
  parameters: { postId: 'uuid' },
  result: { position: column('post_media', 'position'), state: column('media', 'state') },
  sql: ({ postId }) => `
    select u.position, m.state from post_media u join media m on m.id = u.media_id
    where u.post_id = ${postId} order by m.id for key share of m`,
});

/** @returns why the post cannot be sent with its images; null if all are stored, and stay so until the transaction ends */
export async function holdImages(em: SqlEntityManager, postId: string): Promise<ItemError | null> {
  const gone = (await lockImages(em, { postId })).filter(({ state }) => state !== 'stored');
  if (gone.length === 0) return null;
  const first = Math.min(...gone.map(({ position }) => position));
  return { code: 'platform_rejected', message: noLongerStoredMessage(first + 1) };
}

/** @param number of the image in the post, from 1 */
export function noLongerStoredMessage(number: number): string {
  const why = 'images are freed a day after the last attempt to send';
  return `Image ${number} is no longer stored (${why}); upload it again and make a new post.`;
}
