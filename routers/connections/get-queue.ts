/** GET /connections/{connectionId}/queue: the posts waiting in a connection's queue. */
import { z } from 'zod';
import { readQueue } from '../../services/posts/read-queue.ts';
import { nextCursorOutput, timestampOutput, uuidInput, uuidOutput, wholeUnlessLimited } from '../schemas/common.ts';
import { keyedProcedure } from '../procedures.ts';

const QueueItem = z
  .strictObject({
    id: uuidOutput('Id of the post.'),
    text: z.string().describe('What will go out.'),
    scheduledFor: timestampOutput('The slot it waits for.'),
    mediaCount: z.int().describe('Number of its images.'),
  })
  .meta({ id: 'QueueItem', description: 'A post that waits in a queue.' });

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
  .output(
    z.strictObject({
      queue: z.array(QueueItem).describe('Queued posts, earliest slot first.'),
      paused: z.boolean().describe('Whether queued posts are kept back.'),
      nextCursor: nextCursorOutput(),
    }),
  )
  .query(({ ctx, input }) => readQueue(ctx.services, ctx.caller, input.connectionId, input));
