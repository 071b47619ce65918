/**
 * POST /posts/{postId}/approve: approves a post that waits, with changes if there are any, and sends or schedules it as
 * planned (docs/contract/approvals.md#approving).
 */
import { z } from 'zod';
import { approvePost as approve } from '../../services/decisions/approve-post.ts';
import { decisionFields, NextPosts } from '../schemas/approval.ts';
import { PostResult, PostText } from '../schemas/post.ts';
import { FirstComment, MediaIds, MediaItems, mediaOf, Tags, Thread } from '../schemas/post-body.ts';
import { keyedProcedure } from '../procedures.ts';
import { resultProgress } from '../posts/result-progress.ts';

const Input = z.strictObject({
  ...decisionFields,
  text: PostText.optional(),
  thread: Thread.optional(),
  firstComment: FirstComment.nullable()
    .optional()
    .describe('New first comment; null removes it. Sent without a thread it also removes the thread.'),
  mediaIds: MediaIds.optional(),
  media: MediaItems.optional(),
  tags: Tags.optional(),
  next: NextPosts.optional(),
});

export const approvePost = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/posts/{postId}/approve',
      tags: ['Approvals'],
      summary: 'Approve a post',
      description:
        'Carries out what was asked for, as if it were asked now: a time that has passed means at once, a queue means the next free slot. Fields of the post that are sent change it first. A refusal leaves the post waiting. Owners, and unscoped keys of the whole account, approve; never the key or agent that asked.',
    },
    access: 'account',
    scope: null,
    refusedWhereSupervised: true,
    errors: [
      'invalid_request',
      'invalid_media',
      'media_unsupported',
      'shape_unsupported',
      'invalid_connection',
      'not_found',
      'approval_not_pending',
      'stopped',
      'queue_empty',
      'queue_full',
      'payment_method_required',
      'spend_cap_reached',
      'connection_limit_exceeded',
      'fair_use_reached',
      'limit_exceeded',
    ],
    tool: {
      name: 'approve_post',
      toolset: 'approvals',
      title: 'Approve a post',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: true,
      confirmation: 'Approve this post? It goes out as planned.',
    },
  })
  .input(Input)
  .output(z.strictObject({ result: PostResult }))
  .mutation(async ({ ctx, input }) => {
    const { mediaIds: _ids, media: _media, ...rest } = input;
    const result = await approve(ctx.services, ctx.caller, { ...rest, media: mediaOf(input) });
    resultProgress(ctx)(result, 1);
    return { result };
  });
