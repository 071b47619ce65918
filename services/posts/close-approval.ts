/** Settles the pending request of a draft that somebody publishes without deciding on it. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Caller } from '../access/caller.ts';
import { identityOf } from '../access/identity.ts';
import type { Context } from '../context.ts';
import { storeEvents } from '../events/store-events.ts';
import type { PostRow } from './post-view.ts';
import { approvalEvent } from '../approvals/approval-event.ts';
import { approvalView } from '../approvals/approval-view.ts';
import { mayApprove } from '../approvals/may-approve.ts';
import { settleApproval } from '../approvals/settle-approval.ts';

/**
 * Publishing a draft approves what waits in it, for those who may approve; for others the request is void. The request may
 * be younger than the draft that was read.
 */
export async function closeApproval(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  post: PostRow,
): Promise<void> {
  const decision = { at: context.clock.now(), by: identityOf(caller) };
  const settled = mayApprove(caller)
    ? await settleApproval(em, post.id, { ...decision, state: 'approved', reason: null })
    : await settleApproval(em, post.id, { ...decision, state: 'void', reason: 'The draft was published.' });
  if (settled?.state !== 'approved') return;
  const { account_id: accountId, profile_id: profileId, connection_slug: connectionSlug, mode, text } = post;
  const facts = { accountId, postId: post.id, profileId, connectionSlug, mode, text };
  await storeEvents(em, [approvalEvent(context, 'post.approved', { ...facts, approval: approvalView(settled) })]);
}
