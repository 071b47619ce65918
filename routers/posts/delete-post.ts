/**
 * DELETE /posts/{postId}: cancels a waiting post, or deletes a published one from its platform. Emits post.deleted for
 * the latter.
 */
import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { DELETABLE_STATUSES, deletePost as remove } from '../../services/posts/delete-post.ts';
import { isUuid, timestampOutput, uuidOutput } from '../schemas/common.ts';
import { keyedProcedure } from '../procedures.ts';

// A malformed id has the code delete_unsupported here (docs/contract/posts.md#deleting), so the schema lets it through.
const Input = z.strictObject({
  postId: z.string().meta({ format: 'uuid', description: 'Id of the post.' }),
  ifStatus: z
    .enum(DELETABLE_STATUSES)
    .optional()
    .describe('Delete only in this status: `scheduled` never takes a post down.'),
});

const Output = z.union([
  z.strictObject({ id: uuidOutput('Id of the draft.'), deleted: z.literal(true) }),
  z.strictObject({ id: uuidOutput('Id of the post.'), status: z.literal('cancelled') }),
  z.strictObject({
    id: uuidOutput('Id of the post.'),
    status: z.literal('deleted'),
    deletedAt: timestampOutput('When it was taken down.'),
  }),
]);

export const deletePost = keyedProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/posts/{postId}',
      tags: ['Posts'],
      summary: 'Delete a post',
      description: 'Cancels a scheduled post, or takes a sent one down on its platform.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: [
      'invalid_request',
      'delete_unsupported',
      'not_found',
      'post_not_cancellable',
      'platform_rejected',
      'reconnect_required',
      'platform_unavailable',
    ],
    tool: {
      name: 'delete_post',
      toolset: 'posting',
      title: 'Delete a post',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: true,
      confirmation: 'Delete this post? One that is out is taken down from its platform; one that waits is cancelled.',
    },
  })
  .input(Input)
  .output(Output)
  .mutation(({ ctx, input }) => {
    if (!isUuid(input.postId))
      throw new ServiceError('delete_unsupported', `postId: "${input.postId.slice(0, 80)}" is not the id of a post.`);
    return remove(ctx.services, ctx.caller, input.postId, input.ifStatus);
  });
