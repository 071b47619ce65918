/**
 * approvals: expires requests for approval and mails owners about those that wait. Safe to run in parallel: each row is
 * claimed by the update that settles or marks it.
 */
import { expireApprovals } from '../services/approvals/expire-approvals.ts';
import { mailPending, nextApprovalAt } from '../services/approvals/mail-pending.ts';
import type { Loop } from './loop.ts';

export const approvals: Loop = {
  name: 'approvals',
  newWorkWithinMs: 30_000,
  run: async (context, signal) => (await expireApprovals(context, signal)) + (await mailPending(context, signal)),
  nextDueAt: nextApprovalAt,
};
