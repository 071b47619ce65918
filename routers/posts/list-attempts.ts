/** GET /posts/{postId}/attempts: the send ledger of a post (docs/contract/connections.md#linking-with-credentials, docs/contract/posts.md#interrupted-sends). */
import { z } from 'zod';
import { ATTEMPT_STATES, ATTEMPT_STEPS } from '../../entities/attempt.ts';
import { listAttempts as list } from '../../services/posts/list-attempts.ts';
import { ItemError, nextCursorOutput, pageInput, timestampOutput, uuidInput, uuidOutput } from '../schemas/common.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  postId: uuidInput('Id of the post.'),
  ...pageInput('attempts', 100),
});

const Attempt = z
  .strictObject({
    id: uuidOutput('Id of the attempt.'),
    step: z.enum(ATTEMPT_STEPS).describe('Which part of the post the call made or removed.'),
    index: z.int().describe('Position among the parts of the same step, from 0.'),
    state: z.enum(ATTEMPT_STATES).describe('Outcome of the call; sending until the platform answers.'),
    startedAt: timestampOutput('When the platform was called.'),
    settledAt: timestampOutput('When the outcome was written; null while sending.').nullable(),
    platformPostId: z.string().nullable().describe('The platform’s id of the part.'),
    error: ItemError.nullable().describe('What went wrong; null otherwise.'),
  })
  .meta({ id: 'Attempt', description: 'One call to a platform, written before it and settled after.' });

const Output = z.strictObject({
  attempts: z.array(Attempt).describe('The attempts, oldest first.'),
  nextCursor: nextCursorOutput(),
});

export const listAttempts = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/posts/{postId}/attempts',
      tags: ['Posts'],
      summary: 'List the attempts of a post',
      description:
        'Reads the send ledger of a post: every call made to the platform for it, oldest first, with its outcome.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'list_attempts',
      toolset: 'ledger',
      title: 'List the attempts of a post',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(({ ctx, input }) => list(ctx.services, ctx.caller, input.postId, input));
