/**
 * DELETE /profiles/{profileId}: deletes a profile, its connections and its keys. Emits connection.removed for each
 * connection.
 */
import { z } from 'zod';
import { deleteProfile as remove } from '../../services/profiles/delete-profile.ts';
import { uuidOutput } from '../schemas/common.ts';
import { ProfileIdInput } from '../schemas/profile.ts';
import { keyedProcedure } from '../procedures.ts';

const Output = z.strictObject({
  id: uuidOutput('Id of the profile.'),
  deleted: z.literal(true),
  removedConnections: z.int().describe('How many connections were disconnected.'),
});

export const deleteProfile = keyedProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/profiles/{profileId}',
      tags: ['Profiles'],
      summary: 'Delete a profile',
      description:
        'Disconnects every account of the profile, cancels what waits for them and revokes the profile’s keys and what agents were allowed for it. Sent posts stay readable.',
    },
    access: 'account',
    scope: 'profiles:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'delete_profile',
      toolset: 'profiles',
      title: 'Delete a profile',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      confirmation:
        'Delete this profile, disconnect its accounts, cancel what waits for them and revoke its keys? This cannot be undone.',
    },
  })
  .input(z.strictObject({ profileId: ProfileIdInput }))
  .output(Output)
  .mutation(async ({ ctx, input: { profileId } }) => {
    const removedConnections = await remove(ctx.services, ctx.caller, profileId);
    return { id: profileId, deleted: true as const, removedConnections };
  });
