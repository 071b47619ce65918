/** GET /profiles/{profileId}/voice: the brand voice of a profile. */
import { z } from 'zod';
import { getVoice as get } from '../../services/profiles/profile-voice.ts';
import { ProfileVoice, ProfileIdInput } from '../schemas/profile.ts';
import { keyedProcedure } from '../procedures.ts';

export const getVoice = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/profiles/{profileId}/voice',
      tags: ['Profiles'],
      summary: 'Get the brand voice of a profile',
      description:
        'Reads how the texts of a profile are worded: rules, examples and banned phrases. A scoped key reads its own only.',
    },
    access: 'key',
    scope: 'profiles:read',
    errors: ['invalid_request', 'forbidden', 'not_found'],
    tool: {
      name: 'get_profile_voice',
      toolset: 'profiles',
      title: 'Get the brand voice of a profile',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(z.strictObject({ profileId: ProfileIdInput }))
  .output(z.strictObject({ voice: ProfileVoice }))
  .query(async ({ ctx, input }) => ({ voice: await get(ctx.services, ctx.caller, input.profileId) }));
