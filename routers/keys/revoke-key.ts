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
    tool: { none: 'Revoking a key cannot be undone, and stops whatever program holds it.' },
  })
  .input(z.strictObject({ keyId: KeyIdInput }))
  .output(RevokedKey)
  .mutation(async ({ ctx, input: { keyId } }) => {
    await revoke(ctx.services, ctx.caller, keyId, undefined);
    return { id: keyId, revoked: true as const };
  });
