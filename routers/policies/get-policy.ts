/** GET /policies/{policyId}: the policy of a key or agent. */
import { z } from 'zod';
import { readPolicy } from '../../services/policies/read-policies.ts';
import { Policy, PolicyIdInput } from '../schemas/policy.ts';
import { keyedProcedure } from '../procedures.ts';
import { NO_TOOL } from './list-policies.ts';

export const getPolicy = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/policies/{policyId}',
      tags: ['Policies'],
      summary: 'Read a policy',
      description: 'Reads the policy of a key or agent, with how many posts went out under it.',
    },
    access: 'account',
    scope: 'posts:read',
    errors: ['invalid_request', 'not_found'],
    tool: NO_TOOL,
  })
  .input(z.strictObject({ policyId: PolicyIdInput }))
  .output(z.strictObject({ policy: Policy }))
  .query(async ({ ctx, input }) => ({ policy: await readPolicy(ctx.services, ctx.caller, input.policyId) }));
