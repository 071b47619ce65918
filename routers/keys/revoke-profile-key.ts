/** DELETE /profiles/{profileId}/keys/{keyId}: revokes a key of one profile. */
import { z } from 'zod';
import { revokeKey } from '../../services/keys/revoke-key.ts';
import { KeyIdInput, RevokedKey } from '../schemas/key.ts';
import { ProfileIdInput } from '../schemas/profile.ts';
import { keyedProcedure } from '../procedures.ts';

export const revokeProfileKey = keyedProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/profiles/{profileId}/keys/{keyId}',
      tags: ['Keys'],
      summary: 'Revoke a key of a profile',
      description:
        'Revokes a key from its next request on, and ends the webhooks that it registered. Doing it again changes nothing and answers the same.',
    },
    access: 'account',
    scope: 'keys:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'revoke_profile_key',
      toolset: 'keys',
      title: 'Revoke a key of a profile',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      confirmation: 'Revoke this key? Programs that use it stop working at once. This cannot be undone.',
    },
  })
  .input(z.strictObject({ profileId: ProfileIdInput, keyId: KeyIdInput }))
  .output(RevokedKey)
  .mutation(async ({ ctx, input: { profileId, keyId } }) => {
    await revokeKey(ctx.services, ctx.caller, { keyId, profileId });
    return { id: keyId, revoked: true as const };
  });
