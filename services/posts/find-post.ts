/** Finds the row of one post of the caller's. */
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { POST_COLUMNS, type PostRow } from './post-view.ts';
import { reachablePosts } from './reachable-posts.ts';

/** @throws ServiceError not_found for an unknown or foreign post. */
export async function findPost(context: Context, caller: Caller, postId: string): Promise<PostRow> {
  const { condition, parameters } = reachablePosts(caller);
  const sql = `select ${POST_COLUMNS} from posts where ${condition} and id = $${parameters.push(postId)}`;
  const [row] = await query<PostRow>(context.db.em(), sql, parameters);
  if (row === undefined) throw new ServiceError('not_found', `No post of yours has the id ${postId}.`);
  return row;
}
