/** Lists the caller's posts, newest first, one row per connection. */
import { query } from '../../entities/query.ts';
import type { PostStatus } from '../../entities/post.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { profileExists } from '../profiles/profile-exists.ts';
import { POST_COLUMNS, type PostRow, type PostView, postView } from './post-view.ts';
import { reachablePosts } from './reachable-posts.ts';

export interface PostFilter {
  readonly status?: PostStatus | undefined;
  readonly profileId?: string | undefined;
  /** Tags that a post must all carry. */
  readonly tag?: readonly string[] | undefined;
  /** 1 to 100. */
  readonly limit: number;
  /** From 0. */
  readonly offset: number;
}

/** @throws ServiceError invalid_request when `profileId` is not a profile the caller reaches (D32). */
export async function listPosts(context: Context, caller: Caller, filter: PostFilter): Promise<PostView[]> {
  const { status, profileId, tag = [], limit, offset } = filter;
  if (profileId !== undefined && !(await profileExists(context, caller, profileId))) {
    throw new ServiceError('invalid_request', `profileId: ${profileId} is not one of your profiles.`);
  }
  const { condition, parameters } = reachablePosts(caller);
  const conditions = [condition];
  if (status !== undefined) conditions.push(`status = $${parameters.push(status)}`);
  if (profileId !== undefined) conditions.push(`profile_id = $${parameters.push(profileId)}`);
  if (tag.length > 0) conditions.push(`tags @> $${parameters.push(tag)}::text[]`);
  const sql = `select ${POST_COLUMNS} from posts where ${conditions.join(' and ')}
    order by id desc limit $${parameters.push(limit)} offset $${parameters.push(offset)}`;
  const rows = await query<PostRow>(context.db.em(), sql, parameters);
  return rows.map(postView);
}
