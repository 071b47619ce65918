/** POST /posts/{postId}/reschedule: gives a scheduled post another time or slot. Emits post.rescheduled (docs/contract/scheduling.md#rescheduling). */
import { z } from 'zod';
import { reschedulePost as reschedule } from '../../services/posts/reschedule-post.ts';
import { uuidInput } from '../schemas/common.ts';
import { PostResult } from '../schemas/post.ts';
import { whenFields } from '../schemas/post-body.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  postId: uuidInput('Id of the scheduled post, as create_post and list_posts give it.'),
  ...whenFields,
});

export const reschedulePost = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/posts/{postId}/reschedule',
      tags: ['Posts'],
      summary: 'Reschedule a post',
      description:
        'Moves a scheduled post to another time, or with queue to the next free slot of its connection; it keeps its id. Name one of the two. Once it is being sent it can no longer be moved.',
    },
    access: 'key',
    needsOneField: true,
    scope: 'posts:write',
    errors: ['invalid_request', 'invalid_connection', 'not_found', 'post_not_cancellable'],
    tool: {
      name: 'reschedule_post',
      toolset: 'queues',
      title: 'Reschedule a post',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
    },
  })
  .input(Input)
  .output(z.strictObject({ result: PostResult }))
  .mutation(async ({ ctx, input }) => ({ result: await reschedule(ctx.services, ctx.caller, input) }));
