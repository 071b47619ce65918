/** POST /policies/{policyId}/try: what rules would have done to recent posts (docs/contract/policies.md#trying-rules). */
import { z } from 'zod';
import { tryPolicy as tryRules } from '../../services/policies/try-policy.ts';
import { timestampOutput, uuidOutput } from '../schemas/common.ts';
import { BrokenRule, PolicyIdInput, rulesInput } from '../schemas/policy.ts';
import { keyedProcedure } from '../procedures.ts';
import { NO_TOOL } from './list-policies.ts';

const Stopped = z.strictObject({
  postId: uuidOutput('Id of the post.'),
  connectionSlug: z.string().describe('Its connection.'),
  at: timestampOutput('When it goes out or went out.'),
  text: z.string().describe('Its text.'),
  rules: z.array(BrokenRule).describe('The rules that it breaks.'),
});

export const tryPolicy = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/policies/{policyId}/try',
      tags: ['Policies'],
      summary: 'Try a policy',
      description:
        'Shows what rules would have done to the last 200 posts of a key or agent, of the last 30 days and scheduled ones. Changes nothing.',
    },
    access: 'account',
    scope: null,
    refusedWhereSupervised: true,
    errors: ['invalid_request', 'not_found'],
    changes: 'nothing',
    tool: NO_TOOL,
  })
  .input(z.strictObject({ policyId: PolicyIdInput, ...rulesInput }))
  .output(
    z.strictObject({
      posts: z.int().describe('Posts that were looked at.'),
      stopped: z.array(Stopped).describe('Those that the rules would have refused or shown to a person, oldest first.'),
    }),
  )
  .mutation(({ ctx, input: { policyId, ...rules } }) => tryRules(ctx.services, ctx.caller, policyId, rules));
