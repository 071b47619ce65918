/** GET /connections/{connectionId}/queue: the posts waiting in a connection's queue. */
import { z } from 'zod';
import { readQueue } from '../../services/posts/read-queue.ts';
import { uuidInput, wholeUnlessLimited } from '../schemas/common.ts';
import { QueueOutput } from '../schemas/queue.ts';
import { keyedProcedure } from '../procedures.ts';

export const getQueue = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/connections/{connectionId}/queue',
      tags: ['Connections'],
      summary: 'List a queue',
      description: 'Lists the posts that are queued on a connection and not yet sent, earliest slot first.',
    },
    access: 'key',
    scope: 'connections:read',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'get_queue',
      toolset: 'posting',
      title: 'List a queue',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(
    z.strictObject({
      connectionId: uuidInput('Id of the connection, as list_connections gives it.'),
      ...wholeUnlessLimited,
    }),
  )
  .output(QueueOutput)
  .query(({ ctx, input }) => readQueue(ctx.services, ctx.caller, input.connectionId, input));
