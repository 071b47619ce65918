/**
 * POST /posts/{postId}/publish: sends a draft, now or at a time. Emits post.sent or post.failed for one that is sent
 * now.
 */
import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { publishDraft as publish } from '../../services/posts/publish-draft.ts';
import { uuidInput } from '../schemas/common.ts';
import { PostResult } from '../schemas/post.ts';
import { idempotencyKeyField, whenFields } from '../schemas/post-body.ts';
import { idempotentProcedure, markReplay } from '../procedures.ts';
import { resultProgress } from './result-progress.ts';

const Input = z.strictObject({
  postId: uuidInput('Id of the draft, as create_post and list_posts give it.'),
  ...whenFields,
  ...idempotencyKeyField,
});

export const publishDraft = idempotentProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/posts/{postId}/publish',
      tags: ['Posts'],
      summary: 'Publish a draft',
      description:
        'Sends a draft to its connection, now or at a scheduled time. It keeps its id and mode. Of two calls at once, one publishes.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'invalid_connection', 'not_found', 'idempotency_key_conflict'],
    takesIdempotencyKey: true,
    tool: {
      name: 'publish_draft',
      toolset: 'posting',
      title: 'Publish a draft',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: true,
    },
  })
  .input(Input)
  .output(z.strictObject({ result: PostResult }))
  .mutation(async ({ ctx, input }) => {
    const { answer, replayed } = await publish(ctx.services, ctx.caller, input, ctx.keyed);
    markReplay(ctx, replayed);
    if (answer instanceof ServiceError) throw answer;
    if (!replayed) resultProgress(ctx)(answer, 1);
    return { result: answer };
  });
