/**
 * Turns a stored post that a caller wants to send or move into a draft that waits for approval, or stores that an
 * allowance lets it go out, in the caller's transaction (docs/contract/approvals.md#what-waits).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import type { Caller } from '../access/caller.ts';
import { identityOf } from '../access/identity.ts';
import type { Context } from '../context.ts';
import { plainResult, type PostResult } from './post-result.ts';
import type { PostRow } from './post-view.ts';
import { CONTENT, requireUnedited } from './post-changed.ts';
import type { ApprovalView } from '../approvals/approval-view.ts';
import { readApprovalContent } from '../approvals/approval-content.ts';
import { type Permission, storeApprovals } from '../approvals/request-approval.ts';
import { settleApproval } from '../approvals/settle-approval.ts';

export interface AskedPost {
  readonly post: PostRow;
  /** Its state when the request began. */
  readonly from: 'draft' | 'failed' | 'scheduled';
  /** Null for now, or for a slot. */
  readonly scheduledFor: Date | null;
  readonly queue: boolean;
  /** The policy of the caller; null for none. */
  readonly policyId: string | null;
}

// What a failed post sends next is a new send, with its own ledger rows, as after a retry.
const waitForApproval = statement('make a post wait for approval', {
  parameters: { postId: 'uuid', from: 'text', generation: 'int', approvalId: 'uuid', policyId: 'uuid?' },
  result: CONTENT.types,
  sql: ({ postId, from, generation, approvalId, policyId }) => `
    update posts p set status = 'draft', approval_id = ${approvalId},
      policy_id = coalesce(${policyId}, policy_id), scheduled_for = null, queued = false, slot_at = null, held = false,
      stop_id = null, repeats = 0, first_due_at = null, error_code = null, error_message = null, claimed_until = null,
      generation = generation + (status = 'failed')::int
    where id = ${postId} and status = ${from} and generation = ${generation} returning ${CONTENT.sql}`,
});

const rememberAllowed = statement('remember the approval of a post', {
  parameters: { postId: 'uuid', from: 'text', generation: 'int', approvalId: 'uuid', policyId: 'uuid?' },
  result: CONTENT.types,
  sql: ({ postId, from, generation, approvalId, policyId }) => `
    update posts p set approval_id = ${approvalId}, policy_id = coalesce(${policyId}, policy_id)
    where id = ${postId} and status = ${from} and generation = ${generation} returning ${CONTENT.sql}`,
});

/**
 * A new request replaces an earlier one for the same post. Emits post.approval_requested.
 *
 * @returns the result of the post, which waits
 * @throws PostChanged when the post is no longer in the expected state, or was edited
 */
export async function askFor(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  permission: Extract<Permission, { kind: 'asks' }>,
  asked: AskedPost,
): Promise<PostResult> {
  const approval = await storeRequest(context, em, caller, permission, asked);
  const { post } = asked;
  return { ...plainResult(post.connection_slug, 'draft', post.id), ...(approval !== undefined && { approval }) };
}

/**
 * Stores the approval of a post that goes out within an allowance. It locks the post: call it after the account and the
 * connection are locked.
 *
 * @throws PostChanged when the post is no longer in the expected state, or was edited
 */
export async function storeAllowed(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  permission: Permission,
  asked: AskedPost,
): Promise<void> {
  if (permission.kind === 'allowed') await storeRequest(context, em, caller, permission, asked);
}

async function storeRequest(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  permission: Exclude<Permission, { kind: 'free' }>,
  { post, from, scheduledFor, queue, policyId }: AskedPost,
): Promise<ApprovalView | undefined> {
  const approvalId = context.random.uuid();
  const change = permission.kind === 'asks' ? waitForApproval : rememberAllowed;
  const { id: postId, generation } = post;
  const [present] = await change(em, { postId, from, generation, approvalId, policyId });
  requireUnedited(present, post);
  const decision = { state: 'void', at: context.clock.now(), by: identityOf(caller), reason: 'Asked again.' } as const;
  await settleApproval(em, postId, decision);
  const request = {
    id: approvalId,
    postId,
    profileId: post.profile_id,
    connectionSlug: post.connection_slug,
    mode: post.mode,
    scheduledFor,
    queue,
    content: await readApprovalContent(em, post),
  };
  const approvals = await storeApprovals(context, em, caller, permission, [request]);
  return approvals.get(postId);
}
