/**
 * GET /profiles/{profileId}: one profile. It is the only operation on profiles that a scoped key may call, for its own
 * profile.
 */
import { z } from 'zod';
import { getProfile as get } from '../../services/profiles/get-profile.ts';
import { Profile, ProfileIdInput } from '../schemas/profile.ts';
import { keyedProcedure } from '../procedures.ts';

export const getProfile = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/profiles/{profileId}',
      tags: ['Profiles'],
      summary: 'Get a profile',
      description: 'Reads one profile by its id. A scoped key reads its own only.',
    },
    access: 'key',
    scope: 'profiles:read',
    errors: ['invalid_request', 'forbidden', 'not_found'],
    tool: {
      name: 'get_profile',
      toolset: 'profiles',
      title: 'Get a profile',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(z.strictObject({ profileId: ProfileIdInput }))
  .output(z.strictObject({ profile: Profile }))
  .query(async ({ ctx, input }) => ({ profile: await get(ctx.services, ctx.caller, input.profileId) }));
