/** Settles the pending request of a draft that somebody publishes without deciding on it. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { tables } from '../../entities/tables.ts';
import type { Caller } from '../access/caller.ts';
import { identityOf } from '../access/identity.ts';
import type { Context } from '../context.ts';
import { storeEvents } from '../events/store-events.ts';
import type { PostRow } from './post-view.ts';
import { approvalEvent } from '../approvals/approval-event.ts';
import { approvalView } from '../approvals/approval-view.ts';
import { isRequester, mayApprove } from '../approvals/may-approve.ts';
import { settleApproval } from '../approvals/settle-approval.ts';

/**
 * Publishing a draft approves what waits in it, for those who may approve; for others, and for the caller that asked, the
 * request is void. The request may be younger than the draft that was read. Call it after the row of the post is locked.
 */
export async function closeApproval(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  post: PostRow,
): Promise<void> {
  const pending = await tables(em)
    .selectFrom('approvals')
    .select(['requested_by_kind', 'requested_by_id'])
    .where('post_id', '=', post.id)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  if (pending === undefined) return;
  const decision = { at: context.clock.now(), by: identityOf(caller) };
  const isApproval = mayApprove(caller) && !isRequester(caller, pending);
  const settled = isApproval
    ? await settleApproval(em, post.id, { ...decision, state: 'approved', reason: null })
    : await settleApproval(em, post.id, { ...decision, state: 'void', reason: 'The draft was published.' });
  if (settled?.state !== 'approved') return;
  const { account_id: accountId, profile_id: profileId, connection_slug: connectionSlug, mode, text } = post;
  const facts = { accountId, postId: post.id, profileId, connectionSlug, mode, text };
  await storeEvents(em, [approvalEvent(context, 'post.approved', { ...facts, approval: approvalView(settled) })]);
}
