/** DELETE /keys/{keyId}: revokes any key of the account (docs/contract/profiles-and-keys.md#keys). */
import { z } from 'zod';
import { revokeKey as revoke } from '../../services/keys/revoke-key.ts';
import { KeyIdInput, RevokedKey } from '../schemas/key.ts';
import { keyedProcedure } from '../procedures.ts';

export const revokeKey = keyedProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/keys/{keyId}',
      tags: ['Keys'],
      summary: 'Revoke a key',
      description:
        'Revokes any key of the account from its next request on, the one that asks included. What a key of the account has minted stays, so that it can be replaced without loss, unless includeMinted is true. The last live key of an account without an owner stays. Doing it again changes nothing and answers the same.',
    },
    access: 'account',
    scope: 'keys:write',
    errors: ['invalid_request', 'last_account_key', 'not_found'],
    tool: {
      name: 'revoke_key',
      toolset: 'keys',
      title: 'Revoke a key',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      confirmation: 'Revoke this key? Programs that use it stop working at once. This cannot be undone.',
    },
  })
  .input(
    z.strictObject({
      keyId: KeyIdInput,
      includeMinted: z
        .boolean()
        .default(false)
        .describe(
          'Also revoke every key that it minted, and end the webhooks that it or they registered: for a key that leaked. Default false.',
        ),
    }),
  )
  .output(RevokedKey)
  .mutation(async ({ ctx, input: { keyId, includeMinted } }) => {
    await revoke(ctx.services, ctx.caller, { keyId, includeMinted });
    return { id: keyId, revoked: true as const };
  });
