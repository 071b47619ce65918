/** Finds the post of a request that a person decides on. */
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import { isSupervised } from '../access/limits.ts';
import type { Context } from '../context.ts';
import { findPost } from '../posts/find-post.ts';
import type { PostRow } from '../posts/post-view.ts';
import { timestamp } from '../timestamp.ts';
import { APPROVAL, type ApprovalRow } from '../approvals/approval-view.ts';
import { isRequester, mayApprove } from '../approvals/may-approve.ts';

/** A decision, on the request that the person saw. */
export interface DecisionInput {
  readonly postId: string;
  /** When the request was made that the person saw; undefined for the pending one. */
  readonly requestedAt?: string | undefined;
}

/** @throws ServiceError forbidden, not_found, approval_not_pending */
export async function pendingApproval(
  context: Context,
  caller: Caller,
  { postId, requestedAt }: DecisionInput,
): Promise<{ readonly post: PostRow; readonly approval: ApprovalRow }> {
  refuseUnlessMayApprove(caller);
  const post = await findPost(context, caller, postId);
  const approval =
    post.approval_id === null
      ? undefined
      : await tables(context.db.queries)
          .selectFrom('approvals')
          .select(APPROVAL.list)
          .where('id', '=', post.approval_id)
          .executeTakeFirst();
  if (approval?.state !== 'pending' || new Date(approval.expires_at) <= context.clock.now()) {
    throw notPending(post, approval);
  }
  if (isRequester(caller, approval)) {
    throw new ServiceError(
      'forbidden',
      `This key or agent asked for approval of the post ${post.id}, so it cannot decide on it. Another key of the account or an owner in the console decides.`,
    );
  }
  if (requestedAt !== undefined && new Date(requestedAt).getTime() !== new Date(approval.requested_at).getTime()) {
    throw new ServiceError(
      'approval_not_pending',
      `requestedAt: the pending request is of ${timestamp(approval.requested_at)}, not of ${requestedAt}. Read the post again, then decide.`,
    );
  }
  return { post, approval };
}

function refuseUnlessMayApprove(caller: Caller): void {
  if (mayApprove(caller)) return;
  const message = isSupervised(caller)
    ? 'Posts of this key or agent need approval or follow a policy, so it cannot decide on posts. An owner decides in the console.'
    : 'Only owners, and keys that reach the whole account without scopes, decide on posts.';
  throw new ServiceError('forbidden', message);
}

/** The error when the request was replaced by a new one at the moment of the decision. */
export function changedMeanwhile(postId: string): ServiceError {
  const message = `The post ${postId} changed while it was decided on. Read it again, then decide.`;
  return new ServiceError('approval_not_pending', message);
}

/** The error when there is nothing to decide: what the request is now. */
function notPending({ id, status }: PostRow, approval: ApprovalRow | undefined): ServiceError {
  if (approval === undefined) {
    return new ServiceError('approval_not_pending', `The post ${id} (${status}) has never needed approval.`);
  }
  const { state, decided_by_name: by, decided_at: at, expires_at: expiresAt } = approval;
  const what =
    state === 'pending'
      ? `expired at ${timestamp(expiresAt)}`
      : `is ${state}${at === null ? '' : ` since ${timestamp(at)}`}${by === null ? '' : `, by ${by}`}`;
  return new ServiceError('approval_not_pending', `The request for the post ${id} ${what}. Nothing was changed.`);
}
