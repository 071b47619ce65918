/** GET /profiles/{profileId}/keys: the keys of one profile, oldest first. */
import { z } from 'zod';
import { listKeys } from '../../services/keys/list-keys.ts';
import { keyListFields, KeyList } from '../schemas/key.ts';
import { ProfileIdInput } from '../schemas/profile.ts';
import { keyedProcedure } from '../procedures.ts';

export const listProfileKeys = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/profiles/{profileId}/keys',
      tags: ['Keys'],
      summary: 'List the keys of a profile',
      description:
        'Lists the keys of one profile, oldest first, without their secrets. A test key sees test keys only.',
    },
    access: 'account',
    scope: 'keys:read',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'list_profile_keys',
      toolset: 'keys',
      title: 'List the keys of a profile',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(z.strictObject({ profileId: ProfileIdInput, ...keyListFields }))
  .output(KeyList)
  .query(async ({ ctx, input }) => {
    const { keys, nextCursor } = await listKeys(ctx.services, ctx.caller, input);
    return { keys, limit: input.limit, offset: input.offset, nextCursor };
  });
