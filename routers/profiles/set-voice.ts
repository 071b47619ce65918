/** PUT /profiles/{profileId}/voice: replaces the brand voice of a profile. */
import { z } from 'zod';
import { setVoice as set } from '../../services/profiles/profile-voice.ts';
import { ProfileVoice, ProfileIdInput, VoiceInput } from '../schemas/profile.ts';
import { keyedProcedure } from '../procedures.ts';

export const setVoice = keyedProcedure
  .meta({
    openapi: {
      method: 'PUT',
      path: '/profiles/{profileId}/voice',
      tags: ['Profiles'],
      summary: 'Set the brand voice of a profile',
      description:
        'Replaces the rules, examples and banned phrases that AI polish follows for the connections of a profile. What is left out becomes empty.',
    },
    access: 'account',
    scope: 'profiles:write',
    refusedWhereSupervised: true,
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'set_profile_voice',
      toolset: 'profiles',
      title: 'Set the brand voice of a profile',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(z.strictObject({ profileId: ProfileIdInput, ...VoiceInput }))
  .output(z.strictObject({ voice: ProfileVoice }))
  .mutation(async ({ ctx, input: { profileId, ...voice } }) => ({
    voice: await set(ctx.services, ctx.caller, profileId, voice),
  }));
