/** GET /policies: the policies of keys and agents. */
import { z } from 'zod';
import { listPolicies as list } from '../../services/policies/read-policies.ts';
import { cursorInput, nextCursorOutput } from '../schemas/common.ts';
import { Policy } from '../schemas/policy.ts';
import { keyedProcedure } from '../procedures.ts';

export const NO_TOOL = {
  none: 'People decide what an agent may send; an agent reads in the answer of validate_post which rule stops it.',
} as const;

const Input = z.strictObject({
  limit: z.int().min(1).max(100).default(25).describe('How many policies to give, 1 to 100. Default 25.'),
  cursor: cursorInput(),
});

export const listPolicies = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/policies',
      tags: ['Policies'],
      summary: 'List policies',
      description:
        'Lists the policies of keys and agents, with how many posts went out under each. A key of one profile, and one that follows a policy, sees its own.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request'],
    tool: NO_TOOL,
  })
  .input(Input)
  .output(
    z.strictObject({
      policies: z.array(Policy).describe('The policies, those of the newest keys and grants first.'),
      limit: z.int().describe('The limit that was used.'),
      nextCursor: nextCursorOutput(),
    }),
  )
  .query(async ({ ctx, input }) => {
    const { items, nextCursor } = await list(ctx.services, ctx.caller, input);
    return { policies: items, limit: input.limit, nextCursor };
  });
