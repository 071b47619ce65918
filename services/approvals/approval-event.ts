/** Builds the events about approvals, which only webhooks that name them receive (docs/contract/webhooks.md#events). */
import type { Context } from '../context.ts';
import type { NewEvent } from '../events/store-events.ts';
import type { ApprovalView } from './approval-view.ts';

export type ApprovalEventName = 'post.approval_requested' | 'post.approved' | 'post.rejected' | 'post.approval_expired';

export interface ApprovalFacts {
  readonly accountId: string;
  readonly postId: string;
  readonly profileId: string | null;
  readonly connectionSlug: string;
  readonly mode: 'live' | 'test';
  readonly text: string;
  readonly approval: ApprovalView;
}

export function approvalEvent(context: Context, name: ApprovalEventName, facts: ApprovalFacts): NewEvent {
  const { accountId, postId, profileId, connectionSlug, mode, text, approval } = facts;
  return {
    id: context.random.uuid(),
    accountId,
    profileId,
    name,
    mode,
    subjectId: postId,
    payload: { post: { id: postId, connectionSlug, text, profileId }, approval },
    createdAt: context.clock.now(),
  };
}
