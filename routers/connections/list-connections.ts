/** GET /connections: every existing connection the key reaches, newest first. */
import { z } from 'zod';
import { listConnections as list } from '../../services/connections/list-connections.ts';
import { nextCursorOutput, uuidInput, wholeUnlessLimited } from '../schemas/common.ts';
import { Connection } from '../schemas/connection.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  profileId: uuidInput('Gives only the connections of this profile. Left out, all that the key reaches.').optional(),
  ...wholeUnlessLimited,
});

const Output = z.strictObject({
  connections: z.array(Connection).describe('The connections, newest first.'),
  nextCursor: nextCursorOutput(),
});

export const listConnections = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/connections',
      tags: ['Connections'],
      summary: 'List connections',
      description: 'Lists the accounts that posts can go to, newest first, with the slug of each.',
    },
    access: 'key',
    scope: 'connections:read',
    errors: ['invalid_request'],
    tool: {
      name: 'list_connections',
      toolset: 'posting',
      title: 'List connections',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(({ ctx, input }) => list(ctx.services, ctx.caller, input));
