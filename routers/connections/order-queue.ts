/**
 * PUT /connections/{connectionId}/queue/order: posts of a queue exchange their places. Emits post.rescheduled for each
 * post whose time changes (docs/contract/scheduling.md#order-of-a-queue).
 */
import { z } from 'zod';
import { orderQueue as order } from '../../services/posts/order-queue.ts';
import { readQueue } from '../../services/posts/read-queue.ts';
import { uuidInput } from '../schemas/common.ts';
import { QueueOutput } from '../schemas/queue.ts';
import { keyedProcedure } from '../procedures.ts';

/** As many slots as a queue can have within 30 days: 50 a week, all of them on two days that come five times. */
const POSTS_MAX = 250;

const PostIds = z
  .array(uuidInput('Id of a post, as get_queue gives it.'))
  .min(1)
  .max(POSTS_MAX)
  .superRefine((ids, issue) => {
    const seen = new Set<string>();
    for (const [index, id] of ids.entries()) {
      if (seen.has(id)) {
        issue.addIssue({ code: 'custom', path: [index], message: `a post that is not in the list yet (${id} is)` });
      }
      seen.add(id);
    }
  })
  .describe(
    `Ids of 1 to ${POSTS_MAX} posts in the queue, none twice, in the order in which they are to go out. Two ids exchange two posts; the others keep their times.`,
  );

export const orderQueue = keyedProcedure
  .meta({
    openapi: {
      method: 'PUT',
      path: '/connections/{connectionId}/queue/order',
      tags: ['Connections'],
      summary: 'Change the order of a queue',
      description:
        'The posts share out the times that they hold together, earliest first, in the order given. Posts that are not named keep their times. When one of the posts cannot be moved, nothing changes.',
    },
    access: 'key',
    scope: 'posts:write',
    refusedWhereSupervised: true,
    errors: ['invalid_request', 'not_found', 'post_not_cancellable', 'stopped'],
    tool: {
      name: 'order_queue',
      toolset: 'queues',
      title: 'Change the order of a queue',
      readOnly: false,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(
    z.strictObject({
      connectionId: uuidInput('Id of the connection, as list_connections gives it.'),
      postIds: PostIds,
    }),
  )
  .output(QueueOutput)
  .mutation(async ({ ctx, input: { connectionId, postIds } }) => {
    await order(ctx.services, ctx.caller, connectionId, postIds);
    return readQueue(ctx.services, ctx.caller, connectionId, {});
  });
