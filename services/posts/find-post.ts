/** Finds the row of one post of the caller's. */
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { noPost } from './lock-post.ts';
import { POST, type PostRow } from './post-view.ts';
import { reach } from './reachable-posts.ts';

/** @throws ServiceError not_found for an unknown or foreign post. */
export async function findPost(context: Context, caller: Caller, postId: string): Promise<PostRow> {
  const row = await tables(context.db.queries)
    .selectFrom('posts')
    .select(POST.list)
    .where('id', '=', postId)
    .where((post) => post.and(reach(caller)))
    .executeTakeFirst();
  if (row === undefined) throw noPost(postId);
  return row;
}
