/** POST /posts/rewrite: what AI polish makes of a text for a connection. It stores and sends nothing. */
import { z } from 'zod';
import { previewRewrite, VARIANTS_MAX } from '../../services/posts/preview-rewrite.ts';
import { optionalOrNull, slugInput, uuidInput } from '../schemas/common.ts';
import { PostText } from '../schemas/post.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  text: PostText,
  connectionSlug: slugInput().describe('Slug of the connection that the text is for; the limits of its platform hold.'),
  profileId: optionalOrNull(
    uuidInput('Profile that the connection belongs to. Left out, your own connections are meant.'),
  ),
  variants: z
    .int()
    .min(1)
    .max(VARIANTS_MAX)
    .optional()
    .describe(`Number of wordings to choose from, 1 to ${VARIANTS_MAX}. Left out, the answer has one and no list.`),
});

const Output = z.strictObject({
  status: z.enum(['rewritten', 'failed']).describe('Whether there is a rewrite that a send would use.'),
  text: z.string().describe('The first usable rewrite; the text as it was when there is none.'),
  reason: z.string().nullable().describe('Why there is no rewrite; null when there is one.'),
  variants: z
    .array(
      z.discriminatedUnion('status', [
        z.strictObject({
          status: z.literal('rewritten'),
          text: z.string().describe('A wording that passed all checks.'),
          reason: z.null(),
        }),
        z.strictObject({
          status: z.literal('dropped'),
          text: z.null(),
          reason: z.string().describe('Why the wording cannot be used.'),
        }),
      ]),
    )
    .optional()
    .describe('One entry for each wording that was asked for; absent when variants was left out.'),
});

export const rewriteText = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/posts/rewrite',
      tags: ['Posts'],
      summary: 'Preview AI polish',
      description:
        'Asks the model of the install to improve the wording of a text for a connection, checks the answer as a send does, and returns it; with variants, several to choose from. Stores and sends nothing.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'invalid_connection'],
    changes: 'nothing',
    tool: { none: 'An agent improves a text itself; rewrite=true of create_post has the model of the install do it.' },
  })
  .input(Input)
  .output(Output)
  .mutation(({ ctx, input }) => previewRewrite(ctx.services, ctx.caller, input));
