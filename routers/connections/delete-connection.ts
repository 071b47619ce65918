/** DELETE /connections/{connectionId}: disconnects an account. Emits connection.removed (docs/contract/connections.md#linking-with-credentials). */
import { z } from 'zod';
import { deleteConnection as remove } from '../../services/connections/delete-connection.ts';
import { uuidInput, uuidOutput } from '../schemas/common.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({ connectionId: uuidInput('Id of the connection to disconnect.') });
const Output = z.strictObject({ id: uuidOutput('Id of the connection.'), deleted: z.literal(true) });

export const deleteConnection = keyedProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/connections/{connectionId}',
      tags: ['Connections'],
      summary: 'Disconnect an account',
      description:
        'Removes the stored login and cancels every post that waits for this connection. Sent posts stay readable.',
    },
    access: 'account',
    scope: 'connections:write',
    errors: ['invalid_request', 'forbidden', 'not_found'],
    tool: {
      name: 'delete_connection',
      toolset: 'connections',
      title: 'Disconnect an account',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      confirmation:
        'Disconnect this account and cancel every post that waits for it? Only somebody with its login can connect it again.',
    },
  })
  .input(Input)
  .output(Output)
  .mutation(async ({ ctx, input }) => {
    await remove(ctx.services, ctx.caller, input.connectionId);
    return { id: input.connectionId, deleted: true as const };
  });
