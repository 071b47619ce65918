/** Finds the connection of a stored post by its id, because another connection may have taken its slug since. */
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { AnyPlatform, ConnectionLimits } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import type { ImageSize } from '../media/inspect-image.ts';
import { PLAN_TERMS, type PlanTerms, planTerms, type PlanTermsRow } from '../plans/plan-terms.ts';
import type { PostRow } from './post-view.ts';

export interface PostConnection {
  readonly platform: AnyPlatform;
  readonly limits: ConnectionLimits | null;
  /** The plan terms of the account. */
  readonly terms: PlanTerms;
  /** Whether it was deleted; a deleted connection cannot send. */
  readonly isDeleted: boolean;
}

interface Row extends PlanTermsRow {
  limits: ConnectionLimits | null;
  is_deleted: boolean;
}

const FIND = `
  select c.limits, c.deleted_at is not null as is_deleted, ${PLAN_TERMS}
  from connections c join accounts a on a.id = c.account_id
  where c.id = $1 and c.account_id = $2 and ($3::uuid is null or c.profile_id = $3)`;

/**
 * Finds the connection of a post, deleted or not.
 *
 * @throws ServiceError invalid_connection when it was moved out of the caller's reach: a post keeps its profile, but a
 *   key of that profile has no access to an account that was moved out of it
 */
export async function findConnectionForPost(context: Context, caller: Caller, post: PostRow): Promise<PostConnection> {
  const [row] = await query<Row>(context.db.em(), FIND, [post.connection_id, caller.accountId, caller.profileId]);
  if (row === undefined) throw connectionGone(post, 'was deleted or has left this profile');
  const platform = platformOf(context.platforms, post.platform_id);
  return { platform, limits: row.limits, terms: planTerms(context, row), isDeleted: row.is_deleted };
}

/**
 * As {@link findConnectionForPost}, for a connection that can still send.
 *
 * @throws ServiceError invalid_connection also when it was deleted
 */
export async function connectionForPost(context: Context, caller: Caller, post: PostRow): Promise<PostConnection> {
  const connection = await findConnectionForPost(context, caller, post);
  if (connection.isDeleted) throw connectionGone(post);
  return connection;
}

/** The error for a post whose connection cannot send. */
export function connectionGone(post: PostRow, what = 'was deleted'): ServiceError {
  const message = `The connection this post was written for ("${post.connection_slug}") ${what}; write the post anew for another one.`;
  return new ServiceError('invalid_connection', message);
}

const SIZES = `
  select m.width, m.height from post_media u join media m on m.id = u.media_id where u.post_id = $1 order by u.position`;

/** Reads the content of a stored post for validation. */
export async function contentOf(
  context: Context,
  post: PostRow,
): Promise<{ text: string; thread: string[]; firstComment: string | null; images: ImageSize[] }> {
  const images = await query<ImageSize>(context.db.em(), SIZES, [post.id]);
  return { text: post.text, thread: post.thread, firstComment: post.first_comment, images };
}
