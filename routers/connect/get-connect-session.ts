/** GET /connect-sessions/{connectSessionId}: the status of a customer's connect session. */
import { z } from 'zod';
import { getConnectSession as get } from '../../services/connect/get-connect-session.ts';
import { uuidInput } from '../schemas/common.ts';
import { ConnectSession } from '../schemas/connect-session.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({ connectSessionId: uuidInput('Id of the session.') });
const Output = z.strictObject({ connectSession: ConnectSession });

export const getConnectSession = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/connect-sessions/{connectSessionId}',
      tags: ['Profiles'],
      summary: 'Get a connect session',
      description: 'Reads how far a customer has come: pending, connected with the connection, failed, or expired.',
    },
    access: 'key',
    scope: 'connections:read',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'get_connect_session',
      toolset: 'posting',
      title: 'Get a connect session',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => ({
    connectSession: await get(ctx.services, ctx.caller, input.connectSessionId),
  }));
