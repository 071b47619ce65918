/** PUT /posts/{postId}/tags: replaces the tags of a post in any status (docs/contract/posts.md#tags). */
import { z } from 'zod';
import { setTags as set } from '../../services/posts/set-tags.ts';
import { uuidInput } from '../schemas/common.ts';
import { Post } from '../schemas/post.ts';
import { Tags } from '../schemas/post-body.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  postId: uuidInput('Id of the post, as create_post and list_posts give it.'),
  tags: Tags,
});

export const setTags = keyedProcedure
  .meta({
    openapi: {
      method: 'PUT',
      path: '/posts/{postId}/tags',
      tags: ['Posts'],
      summary: 'Set the tags of a post',
      description:
        'Replaces all tags of a post in any status; an empty list removes them. Nothing is sent to a platform, and no event is emitted.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'set_post_tags',
      toolset: 'queues',
      title: 'Set the tags of a post',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(z.strictObject({ post: Post }))
  .mutation(async ({ ctx, input: { postId, tags } }) => ({
    post: await set(ctx.services, ctx.caller, postId, tags),
  }));
