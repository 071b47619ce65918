/** Deletes one of the caller's images, unless a post that has not been sent yet needs it. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { mediaNotFound } from './find-media.ts';
import { reachableMedia } from './reachable-media.ts';
import { IS_NEEDED, markReleased, removeBytes } from './release-media.ts';

/** @throws ServiceError not_found, or media_in_use when a draft, scheduled or processing post has it */
export async function deleteMedia(context: Context, caller: Caller, mediaId: string): Promise<void> {
  const released = await context.db.em().transactional(async (em: SqlEntityManager) => {
    await lock(em, caller, mediaId);
    // A separate statement that starts under the lock: it sees every post that used the image before.
    return markReleased(em, [mediaId], `not ${IS_NEEDED}`);
  });
  if (released.length === 0) {
    throw new ServiceError('media_in_use', `A draft, scheduled or processing post needs the image ${mediaId}.`);
  }
  await removeBytes(context, released);
}

/** Prevents posts from using the image until the transaction ends: a new reference to its row waits. */
async function lock(em: SqlEntityManager, caller: Caller, mediaId: string): Promise<void> {
  const { condition, parameters } = reachableMedia(caller);
  const found = await query(
    em,
    `select id from media where ${condition} and id = $${parameters.push(mediaId)} for update`,
    parameters,
  );
  if (found.length === 0) throw mediaNotFound(mediaId);
}
