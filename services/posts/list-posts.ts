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
  const where = conditions.join(' and ');
  const source =
    tag.length === 0
      ? `posts where ${where}`
      : `(${postsTagged(tag.map((name) => parameters.push(name)))}) t
         cross join lateral (select * from posts where id = t.post_id and ${where} offset 0) posts`;
  const sql = `select ${POST_COLUMNS} from ${source}
    order by ${tag.length === 0 ? 'id' : 't.post_id'} desc limit $${parameters.push(limit)} offset $${parameters.push(offset)}`;
  const rows = await query<PostRow>(context.db.em(), sql, parameters);
  return rows.map(postView);
}

/**
 * The posts of the account $1 that carry every tag, from the numbers of their parameters. The list
 * walks these and looks each post up: `offset 0` keeps the planner from walking all posts instead,
 * which it prefers because it cannot know that a tag is on old posts only.
 */
function postsTagged(tags: readonly number[]): string {
  const one = (tag: number) => `select post_id from post_tags where account_id = $1 and tag = $${tag}`;
  const joined = tags.map((tag, index) => `(${one(tag)}) t${index}${index === 0 ? '' : ' using (post_id)'}`);
  return `select post_id from ${joined.join(' join ')}`;
}
