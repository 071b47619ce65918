/** GET /connections/{connectionId}/queue: the posts waiting in a connection's queue. */
import { z } from 'zod';
import { readQueue } from '../../services/posts/read-queue.ts';
import { readTimeCursor, TIME_CURSOR_MAX } from '../../services/posts/time-cursor.ts';
import { textInput, uuidInput, wholeUnlessLimited } from '../schemas/common.ts';
import { QueueOutput } from '../schemas/queue.ts';
import { keyedProcedure } from '../procedures.ts';

export const getQueue = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/connections/{connectionId}/queue',
      tags: ['Connections'],
      summary: 'List a queue',
      description: 'Lists the posts that wait in the queue of a connection, earliest first.',
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
      limit: wholeUnlessLimited.limit,
      cursor: textInput(TIME_CURSOR_MAX)
        .refine((text) => readTimeCursor(text) !== null, 'the nextCursor of a page of the queue')
        .optional()
        .describe('The nextCursor of the page before.'),
    }),
  )
  .output(QueueOutput)
  .query(({ ctx, input }) => {
    const cursor = input.cursor === undefined ? undefined : (readTimeCursor(input.cursor) ?? undefined);
    return readQueue(ctx.services, ctx.caller, input.connectionId, { limit: input.limit, cursor });
  });
