/** GET /policies: the policies of keys and agents. */
import { z } from 'zod';
import { listPolicies as list } from '../../services/policies/read-policies.ts';
import { pageInput, pageOutput } from '../schemas/common.ts';
import { Policy } from '../schemas/policy.ts';
import { keyedProcedure } from '../procedures.ts';

export const NO_TOOL = {
  none: 'People decide what an agent may send; an agent reads in the answer of validate_post which rule stops it.',
} as const;

const Input = z.strictObject({
  ...pageInput('policies'),
});

export const listPolicies = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/policies',
      tags: ['Policies'],
      summary: 'List policies',
      description:
        'Lists the policies of keys and agents, with how many posts went out under each. A key of one profile, and one that follows a policy, sees its own. A test key sees those of test keys and of agents in test mode.',
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
      ...pageOutput(),
    }),
  )
  .query(async ({ ctx, input }) => {
    const { items, nextCursor } = await list(ctx.services, ctx.caller, input);
    return { policies: items, limit: input.limit, nextCursor };
  });
