/** POST /posts/{postId}/reject: rejects a post that waits for approval; it stays a draft (docs/contract/approvals.md#rejecting). */
import { z } from 'zod';
import { rejectPost as reject } from '../../services/decisions/reject-post.ts';
import { decisionFields } from '../schemas/approval.ts';
import { storableText } from '../schemas/common.ts';
import { Post } from '../schemas/post.ts';
import { keyedProcedure } from '../procedures.ts';

const REASON_MAX = 1_000;

export const rejectPost = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/posts/{postId}/reject',
      tags: ['Approvals'],
      summary: 'Reject a post',
      description:
        'Rejects a post that waits for approval. It stays a draft, and the agent that asked reads the reason in its approval.',
    },
    access: 'account',
    scope: null,
    refusedWhereSupervised: true,
    errors: ['invalid_request', 'not_found', 'approval_not_pending'],
    tool: {
      name: 'reject_post',
      toolset: 'approvals',
      title: 'Reject a post',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
    },
  })
  .input(
    z.strictObject({
      ...decisionFields,
      reason: storableText(z.string().trim().min(1).max(REASON_MAX)).describe(
        'What the agent should know or change, 1 to 1,000 characters.',
      ),
    }),
  )
  .output(z.strictObject({ post: Post }))
  .mutation(async ({ ctx, input }) => ({ post: await reject(ctx.services, ctx.caller, input) }));
