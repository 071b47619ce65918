/** GET /connect-sessions: the connect sessions that a key reaches, newest first. */
import { z } from 'zod';
import { CONNECT_SESSION_STATUSES } from '../../entities/connect-session.ts';
import { listConnectSessions as list } from '../../services/connect/list-connect-sessions.ts';
import { nextCursorOutput, pageInput, uuidInput } from '../schemas/common.ts';
import { ConnectSession } from '../schemas/connect-session.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  status: z.enum(CONNECT_SESSION_STATUSES).optional().describe('Only sessions with this status, such as pending.'),
  profileId: uuidInput('Only sessions of this profile. Left out, all that the key reaches.').optional(),
  ...pageInput('sessions'),
});
const Output = z.strictObject({
  connectSessions: z.array(ConnectSession).describe('The sessions, newest first. Their links are not shown again.'),
  nextCursor: nextCursorOutput(),
});

export const listConnectSessions = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/connect-sessions',
      tags: ['Connections'],
      summary: 'List connect sessions',
      description: 'Lists connect links and how far each has come, newest first. A session can be read for 30 days.',
    },
    access: 'key',
    scope: 'connections:read',
    errors: ['invalid_request'],
    tool: {
      name: 'list_connect_sessions',
      toolset: 'connections',
      title: 'List connect sessions',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => {
    const { items, nextCursor } = await list(ctx.services, ctx.caller, input);
    return { connectSessions: items, nextCursor };
  });
