/** Rejects a post that waits for approval. It stays a draft, with what the person wrote (docs/contract/approvals.md#rejecting). */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Caller } from '../access/caller.ts';
import { identityOf } from '../access/identity.ts';
import type { Context } from '../context.ts';
import { storeEvents } from '../events/store-events.ts';
import { findPost } from '../posts/find-post.ts';
import { lockPost } from '../posts/lock-post.ts';
import { PostChanged } from '../posts/post-changed.ts';
import { type PostView, viewPost } from '../posts/post-view.ts';
import { approvalEvent } from '../approvals/approval-event.ts';
import { approvalView } from '../approvals/approval-view.ts';
import { changedMeanwhile, type DecisionInput, pendingApproval } from './pending-approval.ts';
import { settleApproval } from '../approvals/settle-approval.ts';

export interface RejectionInput extends DecisionInput {
  readonly reason: string;
}

/**
 * Emits post.rejected.
 *
 * @throws ServiceError forbidden, not_found, approval_not_pending
 */
export async function rejectPost(context: Context, caller: Caller, input: RejectionInput): Promise<PostView> {
  const { post, approval } = await pendingApproval(context, caller, input);
  const reject = async (em: SqlEntityManager) => {
    await lockPost(em, caller, post.id);
    const decision = { at: context.clock.now(), by: identityOf(caller), reason: input.reason };
    const settled = await settleApproval(em, post.id, { state: 'rejected', ...decision });
    if (settled?.id !== approval.id) throw new PostChanged();
    const { account_id: accountId, profile_id: profileId, connection_slug: connectionSlug, mode, text } = post;
    const facts = { accountId, postId: post.id, profileId, connectionSlug, mode, text };
    await storeEvents(em, [approvalEvent(context, 'post.rejected', { ...facts, approval: approvalView(settled) })]);
  };
  try {
    await context.db.em().transactional(reject);
  } catch (thrown) {
    if (!(thrown instanceof PostChanged)) throw thrown;
    await pendingApproval(context, caller, input);
    throw changedMeanwhile(post.id);
  }
  return viewPost(context.db.queries, await findPost(context, caller, post.id));
}
