/** Deletes one of the caller's images, unless a post that has not been sent yet needs it. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { mediaNotFound } from './find-media.ts';
import { reachableMedia } from './reachable-media.ts';
import { IS_NEEDED, RELEASED, releaseSql, removeBytes } from './release-media.ts';

const releaseUnneeded = statement('release an image that no unsent post needs', {
  parameters: { ids: 'uuid[]' },
  result: RELEASED,
  sql: ({ ids }) => releaseSql(ids, `not ${IS_NEEDED}`),
});

/** @throws ServiceError not_found, or media_in_use when a draft, scheduled or processing post has it */
export async function deleteMedia(context: Context, caller: Caller, mediaId: string): Promise<void> {
  const released = await context.db.em().transactional(async (em: SqlEntityManager) => {
    await lock(em, caller, mediaId);
    // A separate statement that starts under the lock: it sees every post that used the image before.
    return releaseUnneeded(em, { ids: [mediaId] });
  });
  if (released.length === 0) {
    throw new ServiceError('media_in_use', `A draft, scheduled or processing post needs the image ${mediaId}.`);
  }
  await removeBytes(context, released);
}

/** Prevents posts from using the image until the transaction ends: a new reference to its row waits. */
async function lock(em: SqlEntityManager, caller: Caller, mediaId: string): Promise<void> {
  const found = await tables(em)
    .selectFrom('media')
    .select('id')
    .where(reachableMedia(caller))
    .where('id', '=', mediaId)
    .forUpdate()
    .executeTakeFirst();
  if (found === undefined) throw mediaNotFound(mediaId);
}
