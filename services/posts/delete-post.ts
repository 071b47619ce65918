/**
 * Deletes a post according to its status (docs/contract/posts.md#deleting). A waiting post is cancelled, and a sent
 * post is removed from its platform. Repeated and concurrent deletes return the same answer.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { releaseUnused } from '../media/release-media.ts';
import { timestamp } from '../timestamp.ts';
import { findPost } from './find-post.ts';
import type { PostRow } from './post-view.ts';
import { removeDrafts } from './remove-drafts.ts';
import { takeDown } from '../sending/take-down.ts';

export type DeleteResult =
  | { id: string; deleted: true }
  | { id: string; status: 'cancelled' }
  | { id: string; status: 'deleted'; deletedAt: string };

/** Statuses that a delete can be limited to, each with the status that such a delete leaves. */
const LEFT_BY_DELETE = { draft: null, scheduled: 'cancelled', sent: 'deleted' } as const;

export type DeletableStatus = keyof typeof LEFT_BY_DELETE;

export const DELETABLE_STATUSES = Object.keys(LEFT_BY_DELETE) as DeletableStatus[];

/**
 * @param ifStatus deletes only a post of this status, or one that such a delete has deleted before; by default any
 * @throws ServiceError not_found, delete_unsupported (never published, or the platform has no delete),
 *   post_not_cancellable (being sent, or of another status than `ifStatus`), platform_rejected (the platform refused;
 *   the post stays up), platform_unavailable, reconnect_required
 */
export async function deletePost(
  context: Context,
  caller: Caller,
  postId: string,
  ifStatus?: DeletableStatus,
): Promise<DeleteResult> {
  const post = await findPost(context, caller, postId);
  if (ifStatus !== undefined) refuseOther(post.status, ifStatus);
  switch (post.status) {
    case 'scheduled':
      if (await cancel(context, caller, post)) return { id: post.id, status: 'cancelled' };
      return deleteChanged(context, caller, postId, ifStatus);
    case 'cancelled':
      return { id: post.id, status: 'cancelled' };
    case 'deleted':
      return { id: post.id, status: 'deleted', deletedAt: timestamp(post.deleted_at as string) };
    case 'draft':
      if (await deleteDraft(context, post)) return { id: post.id, deleted: true };
      return deleteChanged(context, caller, postId, ifStatus);
    case 'processing':
      throw new ServiceError('post_not_cancellable');
    case 'sent':
      return deleteSent(context, caller, post);
    default:
      throw new ServiceError(
        'delete_unsupported',
        `This post is ${post.status}: it was never published, so there is nothing to take down.`,
      );
  }
}

function refuseOther(status: string, ifStatus: DeletableStatus): void {
  // A post that is being sent is refused with or without it.
  if (['processing', ifStatus, LEFT_BY_DELETE[ifStatus]].includes(status)) return;
  throw new ServiceError('post_not_cancellable', `The post is ${status}, not ${ifStatus}, so it stays as it is.`);
}

/** A cancel and a worker's claim race; the first one to update the row wins. @returns whether the post was scheduled still */
async function cancel(context: Context, caller: Caller, post: PostRow): Promise<boolean> {
  const cancelled = await tables(context.db.queries)
    .updateTable('posts')
    .set({ status: 'cancelled', stop_id: null, held: false })
    .where('id', '=', post.id)
    .where('account_id', '=', caller.accountId)
    .where('status', '=', 'scheduled')
    .returning('id')
    .execute();
  return cancelled.length === 1;
}

/** Deletes a post whose status another request or a worker has changed since it was read. */
async function deleteChanged(
  context: Context,
  caller: Caller,
  postId: string,
  ifStatus: DeletableStatus | undefined,
): Promise<DeleteResult> {
  const { status } = await findPost(context, caller, postId);
  // The request was to keep it from going out; taking down what is up takes another one.
  if (status === 'processing' || status === 'sent') throw new ServiceError('post_not_cancellable');
  return deletePost(context, caller, postId, ifStatus);
}

async function deleteSent(context: Context, caller: Caller, post: PostRow): Promise<DeleteResult> {
  const platform = platformOf(context.platforms, post.platform_id);
  if (platform.remove === undefined) {
    throw new ServiceError('delete_unsupported', `${platform.name} has no way to delete a post.`);
  }
  await takeDown(context, platform, post.id);
  const present = await findPost(context, caller, post.id);
  return { id: post.id, status: 'deleted', deletedAt: timestamp(present.deleted_at as string) };
}

/**
 * Deletes the draft, then its images, except images that another post uses. Two transactions: one that publishes the draft locks
 * images and the account before the post.
 *
 * @returns whether the post was a draft still
 */
async function deleteDraft(context: Context, post: PostRow): Promise<boolean> {
  const { images, removed } = await context.db.em().transactional(async (em: SqlEntityManager) => ({
    images: await tables(em).selectFrom('post_media').select('media_id').where('post_id', '=', post.id).execute(),
    removed: await removeDrafts(em, [post.id]),
  }));
  if (removed.length === 0) return false;
  const ids = images.map(({ media_id: mediaId }) => mediaId);
  await releaseUnused(context, ids).catch((error: unknown) => {
    context.log.warn({ postId: post.id, err: error }, 'the images of a deleted draft wait for housekeeping');
  });
  return true;
}
