/**
 * Edits a draft: only the given fields change, and the whole draft is checked against its connection again. Both happen
 * under the lock of the post, so that two edits at once keep the fields of each other.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ServiceError } from '../../errors/service-error.ts';
import { identityOf } from '../access/identity.ts';
import { settleApproval } from '../approvals/settle-approval.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { holdMedia } from '../media/hold-media.ts';
import { checkChanges, type DraftChanges, editDraft, editedDraft, editRefusal } from './edit-draft.ts';
import { findPost } from './find-post.ts';
import { lockPost } from './lock-post.ts';
import { connectionForPost, contentOf } from './connection-for-post.ts';
import { type PostView, viewPost } from './post-view.ts';

/**
 * Voids a pending request for approval: it was for what the draft said before.
 *
 * @throws ServiceError not_found, invalid_request (no longer a draft, text over the limit), invalid_media,
 *   media_unsupported, shape_unsupported, invalid_connection
 */
export async function updateDraft(
  context: Context,
  caller: Caller,
  postId: string,
  changes: DraftChanges,
): Promise<PostView> {
  const post = await findPost(context, caller, postId);
  if (post.status !== 'draft') throw noDraft(post.status);
  const connection = await connectionForPost(context, caller, post);
  const checked = await checkChanges(context, caller, changes);
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    // Images before the post: one that is deleted meanwhile waits for the account, which a request that publishes the draft locks
    // before the post.
    await holdMedia(em, checked.media?.map(({ id }) => id) ?? []);
    const draft = await lockPost(em, caller, postId);
    if (draft.status !== 'draft') throw noDraft(draft.status);
    // Fields that were not sent keep what another request may have written by now.
    const edited = editedDraft(context, await contentOf(em, draft), checked, connection);
    if (edited.error !== null) throw editRefusal(edited.error);
    await editDraft(context, em, draft, edited);
    const decision = { at: context.clock.now(), by: identityOf(caller), reason: 'The draft was edited.' };
    await settleApproval(em, postId, { state: 'void', ...decision });
  });
  return viewPost(context.db.queries, await findPost(context, caller, postId));
}

function noDraft(status: string): ServiceError {
  const instead =
    status === 'scheduled'
      ? ' Cancel it with DELETE /posts/{postId} and create it again, or move it with POST /posts/{postId}/reschedule.'
      : '';
  return new ServiceError('invalid_request', `Only a draft can be edited; this post is ${status}.${instead}`);
}
