/** The connection that a stored post was made against, by id: a new connection that took its slug is another one. */
import type { PlanName } from '../../entities/account.ts';
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { AnyPlatform, ConnectionLimits } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import type { ImageSize } from '../media/inspect-image.ts';
import type { PostRow } from './post-view.ts';

export interface OwnConnection {
  readonly platform: AnyPlatform;
  readonly limits: ConnectionLimits | null;
  /** Plan of the account. */
  readonly plan: PlanName;
}

const FIND = `
  select c.limits, a.plan from connections c join accounts a on a.id = c.account_id
  where c.id = $1 and c.account_id = $2 and ($3::uuid is null or c.profile_id = $3) and c.deleted_at is null`;

/**
 * @throws ServiceError invalid_connection when the connection was deleted, or moved to where the caller does not
 *   reach: a post keeps its profile, but a key of that profile has no say over an account that has left it
 */
export async function ownConnection(context: Context, caller: Caller, post: PostRow): Promise<OwnConnection> {
  const parameters = [post.connection_id, caller.accountId, caller.profileId];
  const [row] = await query<{ limits: ConnectionLimits | null; plan: PlanName }>(context.db.em(), FIND, parameters);
  if (row === undefined) {
    const message = `The connection this post was written for ("${post.connection_slug}") was deleted${caller.profileId === null ? '' : ' or has left this profile'}; write the post anew for another one.`;
    throw new ServiceError('invalid_connection', message);
  }
  return { platform: platformOf(context.platforms, post.platform_id), limits: row.limits, plan: row.plan };
}

const SIZES = `
  select m.width, m.height from post_media u join media m on m.id = u.media_id where u.post_id = $1 order by u.position`;

/** What a stored post says, for the check. */
export async function contentOf(
  context: Context,
  post: PostRow,
): Promise<{ text: string; thread: string[]; firstComment: string | null; images: ImageSize[] }> {
  const images = await query<ImageSize>(context.db.em(), SIZES, [post.id]);
  return { text: post.text, thread: post.thread, firstComment: post.first_comment, images };
}
