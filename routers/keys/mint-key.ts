/** POST /profiles/{profileId}/keys: creates a key of a profile, and shows its secret only this once. */
import { z } from 'zod';
import { mintKey as mint } from '../../services/keys/mint-key.ts';
import { ApprovalRuleInput } from '../schemas/approval.ts';
import { Key, KeyExpiresAt, KeyName, KeyScopes, RedirectAllowlist } from '../schemas/key.ts';
import { ProfileIdInput } from '../schemas/profile.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  profileId: ProfileIdInput,
  name: KeyName,
  type: z.enum(['live', 'test']).describe('A test key reaches sandbox connections only.'),
  redirectAllowlist: RedirectAllowlist.optional(),
  scopes: KeyScopes.optional(),
  approval: ApprovalRuleInput.optional(),
  expiresAt: KeyExpiresAt.optional(),
});

export const mintKey = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/profiles/{profileId}/keys',
      tags: ['Keys'],
      summary: 'Mint a key',
      description:
        'Makes an API key that reaches this one profile. It can do no more than the key or agent that mints it; made by an agent, it ends with the agent’s access. The secret is in this answer and nowhere else. An account mints at most 20 keys an hour.',
    },
    successStatus: 201,
    access: 'account',
    scope: 'keys:write',
    errors: ['invalid_request', 'limit_exceeded', 'not_found'],
    changes: { type: 'key', answer: 'key.id' },
    tool: {
      name: 'mint_key',
      toolset: 'keys',
      title: 'Mint a key',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
    },
  })
  .input(Input)
  .output(
    z.strictObject({ key: Key, secret: z.string().describe('The key itself. Save it now: it is shown only once.') }),
  )
  .mutation(({ ctx, input }) => mint(ctx.services, ctx.caller, input));
