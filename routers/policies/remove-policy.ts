/** DELETE /policies/{policyId}: lets a key or agent send again without rules. */
import { z } from 'zod';
import { removePolicy as remove } from '../../services/policies/set-policy.ts';
import { uuidOutput } from '../schemas/common.ts';
import { PolicyIdInput } from '../schemas/policy.ts';
import { keyedProcedure } from '../procedures.ts';
import { NO_TOOL } from './list-policies.ts';

export const removePolicy = keyedProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/policies/{policyId}',
      tags: ['Policies'],
      summary: 'Remove a policy',
      description:
        'Removes the policy of a key or agent. The key, and the keys that followed it, then follow the nearest policy above, if there is one.',
    },
    access: 'account',
    scope: null,
    refusedWhereSupervised: true,
    errors: ['invalid_request', 'not_found'],
    changes: { type: 'policy', answer: 'policyId' },
    tool: NO_TOOL,
  })
  .input(z.strictObject({ policyId: PolicyIdInput }))
  .output(z.strictObject({ policyId: uuidOutput('Id of the key or grant.'), removed: z.literal(true) }))
  .mutation(async ({ ctx, input }) => {
    await remove(ctx.services, ctx.caller, input.policyId);
    return { policyId: input.policyId, removed: true as const };
  });
