/**
 * POST /posts: publishes a text to connections: now, at a time, or as drafts. Emits post.sent or post.failed for posts
 * that are sent now.
 */
import { z } from 'zod';
import { createPosts } from '../../services/posts/create-posts.ts';
import { PostResult } from '../schemas/post.ts';
import { idempotencyKeyField, mediaOf, postBodyFields, replacesField } from '../schemas/post-body.ts';
import { idempotentProcedure, markReplay } from '../procedures.ts';
import { resultProgress } from './result-progress.ts';

const Input = z.strictObject({
  ...postBodyFields,
  ...replacesField,
  ...idempotencyKeyField,
});

const Output = z.strictObject({
  results: z.array(PostResult).describe('One result per connection, in the order of the slugs.'),
});

export const createPost = idempotentProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/posts',
      tags: ['Posts'],
      summary: 'Create posts',
      description:
        'Publishes a text to connections now, at a time, or as drafts. A connection that fails does not hold up the others: read each result. list_connections (GET /connections) gives the slugs. With an idempotency key a repeated call never posts twice. A pending approval waits for a person: do not repeat the call.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'invalid_connection', 'invalid_media', 'not_found', 'idempotency_key_conflict'],
    takesIdempotencyKey: true,
    changes: { type: 'post', answer: 'results.postId' },
    tool: {
      name: 'create_post',
      toolset: 'posting',
      title: 'Create a post',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: true,
    },
  })
  .input(Input)
  .output(Output)
  .mutation(async ({ ctx, input }) => {
    const { results, replayed } = await createPosts(
      ctx.services,
      ctx.caller,
      { ...input, media: mediaOf(input) },
      ctx.keyed,
      { onResult: resultProgress(ctx) },
    );
    markReplay(ctx, replayed);
    return { results: [...results] };
  });
