/** GET /posts: the caller's posts, newest first. */
import { z } from 'zod';
import { POST_STATUSES } from '../../entities/post.ts';
import { listPosts as list } from '../../services/posts/list-posts.ts';
import { normaliseTag, TAG_MAX, TAGS_MAX } from '../../services/posts/tags.ts';
import { pagination, textInput, uuidInput } from '../schemas/common.ts';
import { Post } from '../schemas/post.ts';
import { keyedProcedure } from '../trpc.ts';

const Input = z.strictObject({
  status: z.enum(POST_STATUSES).optional().describe('Gives only posts in this state.'),
  profileId: uuidInput('Gives only the posts of this profile.').optional(),
  tag: z
    .array(textInput(TAG_MAX).transform(normaliseTag))
    .max(TAGS_MAX)
    .optional()
    .describe('Gives only posts that carry every one of these tags.'),
  ...pagination,
});

const Output = z.strictObject({
  posts: z.array(Post).describe('The posts, newest first, one per connection.'),
  limit: z.int().describe('The limit that was used.'),
  offset: z.int().describe('The offset that was used.'),
});

export const listPosts = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/posts',
      tags: ['Posts'],
      summary: 'List posts',
      description: 'Lists posts in every state, newest first, one per connection. Page with limit and offset.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request'],
    tool: {
      name: 'list_posts',
      toolset: 'posting',
      title: 'List posts',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => {
    const { limit, offset } = input;
    return { posts: await list(ctx.services, ctx.caller, input), limit, offset };
  });
