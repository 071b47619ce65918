/** PATCH /posts/{postId}: edits a draft. Changes only the fields that are sent, and validates the whole draft again. */
import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { updateDraft as update } from '../../services/posts/update-draft.ts';
import { uuidInput } from '../schemas/common.ts';
import { Post, PostText } from '../schemas/post.ts';
import { FirstComment, MediaIds, MediaItems, mediaOf, Tags, Thread } from '../schemas/post-body.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  postId: uuidInput('Id of the draft, as create_post and list_posts give it.'),
  text: PostText.optional(),
  thread: Thread.optional(),
  firstComment: FirstComment.nullable()
    .optional()
    .describe('New first comment; null removes it. Sent without a thread it also removes the thread.'),
  mediaIds: MediaIds.optional(),
  media: MediaItems.optional(),
  tags: Tags.optional(),
});

export const updateDraft = keyedProcedure
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/posts/{postId}',
      tags: ['Posts'],
      summary: 'Edit a draft',
      description:
        'Changes only the fields that are sent. The draft is checked against its connection again; only drafts can be edited.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: [
      'invalid_request',
      'invalid_media',
      'media_unsupported',
      'shape_unsupported',
      'invalid_connection',
      'not_found',
    ],
    tool: {
      name: 'update_draft',
      toolset: 'posting',
      title: 'Edit a draft',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(z.strictObject({ post: Post }))
  .mutation(async ({ ctx, input }) => {
    const { postId, ...changes } = input;
    if (Object.values(changes).every((value) => value === undefined)) {
      throw new ServiceError(
        'invalid_request',
        'body: expected at least one of text, thread, firstComment, mediaIds, media and tags.',
      );
    }
    return { post: await update(ctx.services, ctx.caller, postId, { ...changes, media: mediaOf(changes) }) };
  });
