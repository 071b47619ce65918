/** PATCH /connections/{connectionId}: moves a connection between profiles. Emits connection.removed, then connection.created (docs/contract/connections.md#moving). */
import { z } from 'zod';
import { moveConnection as move } from '../../services/connections/move-connection.ts';
import { uuidInput } from '../schemas/common.ts';
import { Connection } from '../schemas/connection.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  connectionId: uuidInput('Id of the connection to move.'),
  profileId: uuidInput('Profile to move it into.')
    .nullable()
    .describe('Profile to move it into; null for your own accounts.'),
});

export const moveConnection = keyedProcedure
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/connections/{connectionId}',
      tags: ['Connections'],
      summary: 'Move a connection',
      description:
        'Moves a connection into a profile, or with null back to your own accounts. Its slug, its queue and its scheduled posts stay, and every post keeps the profile it was written under. The pages of a LinkedIn member that sit in the same profile move with the member, or nothing does.',
    },
    access: 'account',
    scope: 'connections:write',
    refusedWhereSupervised: true,
    errors: ['invalid_request', 'not_found', 'connection_conflict'],
    tool: {
      name: 'move_connection',
      toolset: 'connections',
      title: 'Move a connection',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(z.strictObject({ connection: Connection }))
  .mutation(async ({ ctx, input: { connectionId, profileId } }) => ({
    connection: await move(ctx.services, ctx.caller, connectionId, profileId),
  }));
