/** PUT /policies/{policyId}: says what a key or agent may send without a person (docs/contract/policies.md). */
import { z } from 'zod';
import { setPolicy as set } from '../../services/policies/set-policy.ts';
import { Policy, PolicyIdInput, rulesInput } from '../schemas/policy.ts';
import { keyedProcedure } from '../procedures.ts';
import { NO_TOOL } from './list-policies.ts';

export const setPolicy = keyedProcedure
  .meta({
    openapi: {
      method: 'PUT',
      path: '/policies/{policyId}',
      tags: ['Policies'],
      summary: 'Set a policy',
      description:
        'Says what a key or agent, and every key that it has created or creates, may send without a person. Keys with their own policy keep it. Replaces the whole policy: a rule that is left out stops nothing. Scheduled posts keep their times.',
    },
    access: 'account',
    scope: null,
    refusedWhereSupervised: true,
    errors: ['invalid_request', 'not_found'],
    changes: { type: 'policy', answer: 'policy.policyId' },
    tool: NO_TOOL,
  })
  .input(z.strictObject({ policyId: PolicyIdInput, ...rulesInput }))
  .output(z.strictObject({ policy: Policy }))
  .mutation(async ({ ctx, input: { policyId, ...rules } }) => ({
    policy: await set(ctx.services, ctx.caller, policyId, rules),
  }));
