/** PATCH /profiles/{profileId}: changes the name and the externalId of a profile. */
import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { updateProfile as update } from '../../services/profiles/update-profile.ts';
import { ExternalId, Profile, ProfileIdInput, ProfileName } from '../schemas/profile.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  profileId: ProfileIdInput,
  name: ProfileName.optional(),
  externalId: ExternalId.nullable()
    .optional()
    .describe('Your own id of the customer, 1 to 200 characters, unique in the account; null removes it.'),
});

export const updateProfile = keyedProcedure
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/profiles/{profileId}',
      tags: ['Profiles'],
      summary: 'Change a profile',
      description:
        'Changes the name or the externalId of a profile; only what is sent. Its connections are not touched.',
    },
    access: 'account',
    scope: 'profiles:write',
    errors: ['invalid_request', 'not_found', 'profile_external_id_conflict'],
    tool: {
      name: 'update_profile',
      toolset: 'profiles',
      title: 'Change a profile',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(z.strictObject({ profile: Profile }))
  .mutation(async ({ ctx, input: { profileId, ...changes } }) => {
    if (Object.keys(changes).length === 0) {
      throw new ServiceError('invalid_request', 'body: name at least one of name, externalId.');
    }
    return { profile: await update(ctx.services, ctx.caller, profileId, changes) };
  });
