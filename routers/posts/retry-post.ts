/** POST /posts/{postId}/retry: sends a failed post again. Emits post.rescheduled when it gets a new time (docs/contract/connections.md#linking-with-credentials). */
import { z } from 'zod';
import { retryPost as retry } from '../../services/posts/retry-post.ts';
import { uuidInput } from '../schemas/common.ts';
import { PostResult } from '../schemas/post.ts';
import { whenFields } from '../schemas/post-body.ts';
import { keyedProcedure } from '../procedures.ts';
import { resultProgress } from './result-progress.ts';

const Input = z.strictObject({
  postId: uuidInput('Id of the failed post, as create_post and list_posts give it.'),
  ...whenFields,
  force: z
    .boolean()
    .optional()
    .describe('Send again although the first send may have published the post. Check the platform first.'),
});

export const retryPost = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/posts/{postId}/retry',
      tags: ['Posts'],
      summary: 'Retry a failed post',
      description:
        'Sends a failed post again, now or at a scheduled time; it keeps its id. One of unknown outcome may be up, and needs force.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'invalid_connection', 'not_found'],
    tool: {
      name: 'retry_post',
      toolset: 'posting',
      title: 'Retry a failed post',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: true,
    },
  })
  .input(Input)
  .output(z.strictObject({ result: PostResult }))
  .mutation(async ({ ctx, input }) => {
    const result = await retry(ctx.services, ctx.caller, input);
    resultProgress(ctx)(result, 1);
    return { result };
  });
