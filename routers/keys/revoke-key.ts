/** DELETE /keys/{keyId}: revokes any key of the account (D6). */
import { z } from 'zod';
import { revokeKey as revoke } from '../../services/keys/revoke-key.ts';
import { KeyIdInput, RevokedKey } from '../schemas/key.ts';
import { keyedProcedure } from '../trpc.ts';

export const revokeKey = keyedProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/keys/{keyId}',
      tags: ['Keys'],
      summary: 'Revoke a key',
      description:
        'Revokes any key of the account from its next request on, the one that asks included. Doing it again changes nothing and answers the same.',
    },
    access: 'account',
    scope: 'keys:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'revoke_key',
      toolset: 'keys',
      title: 'Revoke a key',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      confirmation: 'Revoke this key? Programs that use it stop working at once, and nobody can undo this.',
    },
  })
  .input(z.strictObject({ keyId: KeyIdInput }))
  .output(RevokedKey)
  .mutation(async ({ ctx, input: { keyId } }) => {
    await revoke(ctx.services, ctx.caller, keyId, undefined);
    return { id: keyId, revoked: true as const };
  });
