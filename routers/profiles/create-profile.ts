/** POST /profiles: creates a profile for an end customer. */
import { z } from 'zod';
import { optionalOrNull } from '../schemas/common.ts';
import { createProfile as create } from '../../services/profiles/create-profile.ts';
import { ExternalId, Profile, ProfileName } from '../schemas/profile.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  name: ProfileName,
  externalId: optionalOrNull(ExternalId).describe(
    'Your own id of the customer, 1 to 200 characters, unique in the account.',
  ),
});

export const createProfile = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/profiles',
      tags: ['Profiles'],
      summary: 'Create a profile',
      description: 'Makes a profile, which holds the connections, the posts and the keys of one end customer.',
    },
    access: 'account',
    scope: 'profiles:write',
    errors: ['invalid_request', 'limit_exceeded', 'profile_external_id_conflict'],
    changes: { type: 'profile', answer: 'profile.id' },
    tool: {
      name: 'create_profile',
      toolset: 'profiles',
      title: 'Create a profile',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
    },
  })
  .input(Input)
  .output(z.strictObject({ profile: Profile }))
  .mutation(async ({ ctx, input }) => ({ profile: await create(ctx.services, ctx.caller, input) }));
