/** DELETE /connect-sessions/{connectSessionId}: withdraws a connect link. */
import { z } from 'zod';
import { cancelConnectSession as cancel } from '../../services/connect/cancel-connect-session.ts';
import { uuidInput } from '../schemas/common.ts';
import { ConnectSession } from '../schemas/connect-session.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({ connectSessionId: uuidInput('Id of the session to cancel.') });
const Output = z.strictObject({ connectSession: ConnectSession });

export const cancelConnectSession = keyedProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/connect-sessions/{connectSessionId}',
      tags: ['Connections'],
      summary: 'Cancel a connect session',
      description:
        'Ends a session that is still pending, with the error cancelled: its link stops working. A session that has ended stays as it is. The answer is the session.',
    },
    access: 'key',
    scope: 'connections:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'cancel_connect_session',
      toolset: 'connections',
      title: 'Cancel a connect session',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .mutation(async ({ ctx, input }) => ({
    connectSession: await cancel(ctx.services, ctx.caller, input.connectSessionId),
  }));
