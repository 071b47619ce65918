/** GET /posts/{postId}: one post. */
import { z } from 'zod';
import { getPost as get } from '../../services/posts/get-post.ts';
import { uuidInput } from '../schemas/common.ts';
import { PostDetail } from '../schemas/post.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({ postId: uuidInput('Id of the post.') });
const Output = z.strictObject({ post: PostDetail });

export const getPost = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/posts/{postId}',
      tags: ['Posts'],
      summary: 'Get a post',
      description: 'Reads one post: its state, permalink, approval, and the error when it failed.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'get_post',
      toolset: 'posting',
      title: 'Get a post',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => ({ post: await get(ctx.services, ctx.caller, input.postId) }));
