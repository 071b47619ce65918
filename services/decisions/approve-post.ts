/**
 * Approves a post and carries out its plan as if it were asked for now, with changes if there are any
 * (docs/contract/approvals.md#approving). The decision, the changes and the send or schedule are one transaction.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import { identityOf } from '../access/identity.ts';
import type { Context } from '../context.ts';
import { storeEvents } from '../events/store-events.ts';
import { connectionForPost, contentOf } from '../posts/connection-for-post.ts';
import { checkChanges, type DraftChanges, editDraft, editedDraft, editRefusal } from '../posts/edit-draft.ts';
import { lockPost } from '../posts/lock-post.ts';
import { PostChanged } from '../posts/post-changed.ts';
import type { PostResult } from '../posts/post-result.ts';
import { publishOrSchedule } from '../posts/publish-or-schedule.ts';
import type { WithSender } from '../sending/post-sender.ts';
import { type AllowanceInput, giveAllowance, readAllowance } from '../approvals/give-allowance.ts';
import { approvalEvent } from '../approvals/approval-event.ts';
import { approvalView } from '../approvals/approval-view.ts';
import { changedMeanwhile, type DecisionInput, pendingApproval } from './pending-approval.ts';
import { settleApproval } from '../approvals/settle-approval.ts';

export interface ApprovalInput extends DecisionInput, DraftChanges {
  /** Also lets further posts of the same key or agent go out without asking. */
  readonly next?: AllowanceInput | undefined;
}

/**
 * Emits post.approved, and post.sent or post.failed for a post that is sent now.
 *
 * @throws ServiceError forbidden, not_found, approval_not_pending, invalid_connection, and the error of a plan, a queue or
 *   a check that refuses the post: then it still waits
 */
export async function approvePost(
  context: Context & WithSender,
  caller: Caller,
  { postId, requestedAt, next, ...changes }: ApprovalInput,
): Promise<PostResult> {
  const allowance = readAllowance(context, next);
  const { post, approval } = await pendingApproval(context, caller, { postId, requestedAt });
  const connection = await connectionForPost(context, caller, post);
  const checked = await checkChanges(context, caller, changes);
  // An edit that comes first voids the approval, which this request then notices.
  const edited = editedDraft(context, await contentOf(context.db.queries, post), checked, connection);
  if (edited.error !== null) throw editRefusal(edited.error);
  const isEdited = Object.values(changes).some((value) => value !== undefined);
  const by = identityOf(caller);
  const allow = async (em: SqlEntityManager) => {
    if (allowance !== null) await giveAllowance(em, approval, caller, allowance);
  };
  const approve = async (em: SqlEntityManager) => {
    await lockPost(em, caller, post.id);
    const at = context.clock.now();
    const settled = await settleApproval(em, post.id, { state: 'approved', at, by, reason: null });
    // Another decision, an edit or a new request came first.
    if (settled?.id !== approval.id) throw new PostChanged();
    if (isEdited && !(await editDraft(context, em, post, edited))) throw new PostChanged();
    const { account_id: accountId, profile_id: profileId, connection_slug: connectionSlug, mode } = post;
    const facts = { accountId, postId: post.id, profileId, connectionSlug, mode, text: edited.text };
    await storeEvents(em, [approvalEvent(context, 'post.approved', { ...facts, approval: approvalView(settled) })]);
  };
  const wanted = approval.scheduled_for === null ? null : new Date(approval.scheduled_for);
  const request = {
    post: { ...post, text: edited.text },
    from: 'draft',
    terms: connection.terms,
    scheduledFor: wanted !== null && wanted > context.clock.now() ? wanted : null,
    queue: approval.queue,
    images: edited.images,
    newImages: edited.media?.map(({ id }) => id) ?? [],
    error: null,
    allow,
    approve,
    throwsRefusal: true,
  } as const;
  try {
    return await publishOrSchedule(context, caller, request, null);
  } catch (thrown) {
    if (!(thrown instanceof PostChanged || thrown instanceof ServiceError)) throw thrown;
    // Names what came first, also when that has used up the plan.
    await pendingApproval(context, caller, { postId, requestedAt });
    if (thrown instanceof ServiceError) throw thrown;
    // A request that still waits changed in another way, such as a deleted connection.
    await connectionForPost(context, caller, post);
    throw changedMeanwhile(post.id);
  }
}
