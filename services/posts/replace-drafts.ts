/**
 * Deletes drafts whose place new posts take, in the transaction that stores the new posts. So a program that saves a
 * text again and again, or publishes what it has saved, leaves neither two drafts nor none.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { anyOf } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import { reach } from './reachable-posts.ts';
import { removeDrafts } from './remove-drafts.ts';

/**
 * Images stay: the new posts use them, and unused ones are freed after days, so that a person can still take one back.
 *
 * @param kept connections whose drafts stay, because their new post was refused
 * @throws ServiceError not_found when one is no draft of the caller's any more; then nothing is stored
 */
export async function replaceDrafts(
  em: SqlEntityManager,
  caller: Caller,
  postIds: readonly string[],
  kept: readonly string[],
): Promise<void> {
  const ids = [...new Set(postIds)];
  if (ids.length === 0) return;
  const posts = await tables(em)
    .selectFrom('posts')
    .select(['id', 'status', 'connection_id'])
    .where('id', '=', anyOf(ids))
    .where((post) => post.and(reach(caller)))
    .orderBy('id')
    .forUpdate()
    .execute();
  for (const id of ids) {
    const status = posts.find((post) => post.id === id)?.status;
    if (status !== 'draft') throw noDraft(id, status);
  }
  const replaced = posts.filter((post) => !kept.includes(post.connection_id)).map(({ id }) => id);
  await removeDrafts(em, replaced);
}

function noDraft(id: string, status: string | undefined): ServiceError {
  const why = status === undefined ? '' : `: the post is ${status}`;
  return new ServiceError(
    'not_found',
    `replaces: no draft of yours has the id ${id} any more${why}. Nothing was posted.`,
  );
}
