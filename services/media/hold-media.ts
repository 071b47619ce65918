/** Prevents images from being deleted while a post that names them is written. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { anyOf } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';

/**
 * Call it in the transaction that writes the post, before the post's images are written.
 *
 * @param mediaIds ids that {@link checkMedia} has accepted
 * @throws ServiceError invalid_media when one was deleted since
 */
export async function holdMedia(em: SqlEntityManager, mediaIds: readonly string[]): Promise<void> {
  const ids = [...new Set(mediaIds)];
  if (ids.length === 0) return;
  const held = await tables(em)
    .selectFrom('media')
    .select('id')
    .where('id', '=', anyOf(ids))
    .where('state', '=', 'stored')
    .orderBy('id')
    .forKeyShare()
    .execute();
  const missing = ids.find((id) => !held.some((row) => row.id === id));
  if (missing !== undefined)
    throw new ServiceError('invalid_media', `The image ${missing} was deleted while the post was being written.`);
}
