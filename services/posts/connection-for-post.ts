/** Finds the connection of a stored post by its id, because another connection may have taken its slug since. */
import type { Queries } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { AnyPlatform, ConnectionLimits } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import type { ImageSize } from '../images/inspect-image.ts';
import { type PlanTerms, planTerms } from '../plans/plan-terms.ts';
import type { PostRow } from './post-view.ts';

export interface PostConnection {
  readonly platform: AnyPlatform;
  readonly limits: ConnectionLimits | null;
  /** The plan terms of the account. */
  readonly terms: PlanTerms;
  /** Whether it was deleted; a deleted connection cannot send. */
  readonly isDeleted: boolean;
}

/**
 * Finds the connection of a post, deleted or not.
 *
 * @throws ServiceError invalid_connection when it was moved out of the caller's reach: a post keeps its profile, but a
 *   key of that profile has no access to an account that was moved out of it
 */
export async function findConnectionForPost(context: Context, caller: Caller, post: PostRow): Promise<PostConnection> {
  const { accountId, profileId } = caller;
  const row = await tables(context.db.queries)
    .selectFrom('connections as c')
    .innerJoin('accounts as a', 'a.id', 'c.account_id')
    .select(['c.limits', 'c.deleted_at', 'a.plan', 'a.has_own_message_cap', 'a.messages_per_day'])
    .where('c.id', '=', post.connection_id)
    .where('c.account_id', '=', accountId)
    .$if(profileId !== null, (connections) => connections.where('c.profile_id', '=', profileId))
    .executeTakeFirst();
  if (row === undefined) throw connectionGone(post, 'was deleted or has left this profile');
  const platform = platformOf(context.platforms, post.platform_id);
  return { platform, limits: row.limits, terms: planTerms(context, row), isDeleted: row.deleted_at !== null };
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
  const message = `The connection this post was written for ("${post.connection_slug}") ${what}. Create the post again for another connection.`;
  return new ServiceError('invalid_connection', message);
}

/** Reads the content of a stored post for validation. */
export async function contentOf(
  queries: Queries,
  post: Pick<PostRow, 'id' | 'text' | 'thread' | 'first_comment'>,
): Promise<{ text: string; thread: string[]; firstComment: string | null; images: ImageSize[] }> {
  const images = await tables(queries)
    .selectFrom('post_media as used')
    .innerJoin('media', 'media.id', 'used.media_id')
    .select(['media.width', 'media.height'])
    .where('used.post_id', '=', post.id)
    .orderBy('used.position')
    .execute();
  return { text: post.text, thread: post.thread, firstComment: post.first_comment, images };
}
