/**
 * Turns a stored post that a caller wants to send or move into a draft that waits for approval, in the caller's
 * transaction (docs/contract/approvals.md#what-waits).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import type { Caller } from '../access/caller.ts';
import { identityOf } from '../access/identity.ts';
import type { Context } from '../context.ts';
import { openResult, type PostResult } from './post-result.ts';
import type { PostRow } from './post-view.ts';
import type { Cause } from '../policies/policy-check.ts';
import { PostChanged } from './post-changed.ts';
import { readApprovalContent } from '../approvals/approval-content.ts';
import { permissionOf, storeApprovals } from '../approvals/request-approval.ts';
import { settleApproval } from '../approvals/settle-approval.ts';

export interface AskedPost {
  readonly post: PostRow;
  /** Its state when the request began. */
  readonly from: 'draft' | 'failed' | 'scheduled';
  /** Null for now, or for a slot. */
  readonly scheduledFor: Date | null;
  readonly queue: boolean;
  /** Why the policy of the caller asks a person about it; null when it does not. */
  readonly cause: Cause | null;
}

// What a failed post sends next is a new send, with its own ledger rows, as after a retry.
const waitForApproval = statement('make a post wait for approval', {
  parameters: { postId: 'uuid', from: 'text', approvalId: 'uuid' },
  result: { id: 'uuid' },
  sql: ({ postId, from, approvalId }) => `
    update posts set status = 'draft', approval_id = ${approvalId}, scheduled_for = null, queued = false,
      slot_at = null, held = false, stop_id = null, repeats = 0, first_due_at = null, error_code = null, error_message = null,
      generation = generation + (status = 'failed')::int
    where id = ${postId} and status = ${from} returning id`,
});

const rememberAllowed = statement('remember the approval of a post', {
  parameters: { postId: 'uuid', from: 'text', approvalId: 'uuid' },
  result: { id: 'uuid' },
  sql: ({ postId, from, approvalId }) => `
    update posts set approval_id = ${approvalId} where id = ${postId} and status = ${from} returning id`,
});

/**
 * A new request replaces an earlier one for the same post. Emits post.approval_requested.
 *
 * @returns the result of a post that waits; null when the caller may go on
 * @throws PostChanged when the post is no longer in the expected state; ServiceError unauthorized
 */
export async function askFor(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  { post, from, scheduledFor, queue, cause }: AskedPost,
): Promise<PostResult | null> {
  const permission = await permissionOf(context, em, caller, 1, cause);
  if (permission.kind === 'free') return null;
  const approvalId = context.random.uuid();
  const change = permission.kind === 'asks' ? waitForApproval : rememberAllowed;
  if ((await change(em, { postId: post.id, from, approvalId })).length === 0) throw new PostChanged();
  const decision = { state: 'void', at: context.clock.now(), by: identityOf(caller), reason: 'Asked again.' } as const;
  await settleApproval(em, post.id, decision);
  const request = {
    id: approvalId,
    postId: post.id,
    profileId: post.profile_id,
    connectionSlug: post.connection_slug,
    mode: post.mode,
    scheduledFor,
    queue,
    content: await readApprovalContent(em, post),
  };
  const approvals = await storeApprovals(context, em, caller, permission, [request]);
  const approval = approvals.get(post.id);
  if (permission.kind === 'allowed' || approval === undefined) return null;
  return { ...openResult(post.connection_slug, post.id), status: 'draft', approval };
}
