/** DELETE /connections/{connectionId}: disconnects an account. Emits connection.removed (D11). */
import { z } from 'zod';
import { deleteConnection as remove } from '../../services/connections/delete-connection.ts';
import { uuidInput, uuidOutput } from '../schemas/common.ts';
import { keyedProcedure } from '../trpc.ts';

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
    tool: { none: 'Disconnecting an account undoes what only a person with its password can redo.' },
  })
  .input(Input)
  .output(Output)
  .mutation(async ({ ctx, input }) => {
    await remove(ctx.services, ctx.caller, input.connectionId);
    return { id: input.connectionId, deleted: true as const };
  });
