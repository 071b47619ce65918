/** Locks the row of one post of the caller's until the transaction ends. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import type { PostRow } from './post-view.ts';
import { reach } from './reachable-posts.ts';

const LOCKED = ['id', 'status', 'text', 'thread', 'first_comment'] as const;

/** A post that no other transaction changes. */
export type LockedPost = Pick<PostRow, (typeof LOCKED)[number]>;

/**
 * Call it before a statement that writes `post_tags`: a statement that waits for the row would not see the tags that the
 * other transaction stored, and would leave them behind.
 *
 * @returns its status and what it says, which stay until the transaction ends
 * @throws ServiceError not_found for an unknown or foreign post
 */
export async function lockPost(em: SqlEntityManager, caller: Caller, postId: string): Promise<LockedPost> {
  const row = await tables(em)
    .selectFrom('posts')
    .select(LOCKED)
    .where('id', '=', postId)
    .where((post) => post.and(reach(caller)))
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (row === undefined) throw noPost(postId);
  return row;
}

export function noPost(postId: string): ServiceError {
  return new ServiceError('not_found', `No post of yours has the id ${postId}.`);
}
