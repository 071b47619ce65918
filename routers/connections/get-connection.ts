/** GET /connections/{connectionId}: one connection. */
import { z } from 'zod';
import { getConnection as get } from '../../services/connections/get-connection.ts';
import { uuidInput } from '../schemas/common.ts';
import { Connection } from '../schemas/connection.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({ connectionId: uuidInput('Id of the connection.') });
const Output = z.strictObject({ connection: Connection });

export const getConnection = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/connections/{connectionId}',
      tags: ['Connections'],
      summary: 'Get a connection',
      description: 'Reads one linked account or channel by its id. What another account owns answers not_found.',
    },
    access: 'key',
    scope: 'connections:read',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'get_connection',
      toolset: 'queues',
      title: 'Get a connection',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => ({
    connection: await get(ctx.services, ctx.caller, input.connectionId),
  }));
