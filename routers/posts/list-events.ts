/** GET /posts/{postId}/events: the events of a post, with the deliveries of each (docs/contract/webhooks.md#events-of-a-post). */
import { z } from 'zod';
import { DELIVERY_STATUSES } from '../../entities/delivery.ts';
import { EVENT_NAMES } from '../../entities/event.ts';
import { listEvents as list } from '../../services/posts/list-events.ts';
import { cursorInput, nextCursorOutput, timestampOutput, uuidInput, uuidOutput } from '../schemas/common.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  postId: uuidInput('Id of the post.'),
  limit: z.int().min(1).max(50).default(25).describe('How many events to give, 1 to 50. Default 25.'),
  cursor: cursorInput(),
});

const EventDelivery = z
  .strictObject({
    id: uuidOutput('Id of the delivery.'),
    webhookId: uuidOutput('Id of the webhook.'),
    url: z.string().describe('Address of the webhook.'),
    status: z.enum(DELIVERY_STATUSES).describe('processing during an attempt.'),
    attempts: z.int().describe('Times sent, at most 7; 0 again after a replay.'),
    lastStatusCode: z.int().nullable().describe('What the receiver answered last; null when it did not.'),
    lastAttemptAt: timestampOutput('When the last attempt began; null before the first.').nullable(),
    nextAttemptAt: timestampOutput('When it is due; null unless it is pending.').nullable(),
  })
  .meta({ id: 'EventDelivery', description: 'An event on its way to one webhook, in short.' });

const PostEvent = z
  .strictObject({
    id: uuidOutput('Id of the event. Receivers see the ids of deliveries.'),
    event: z.enum(EVENT_NAMES).describe('Name of the event.'),
    mode: z.enum(['live', 'test']).describe('Mode of the event.'),
    createdAt: timestampOutput('When it happened.'),
    deliveries: z.array(EventDelivery).describe('Its deliveries to the webhooks that the caller manages.'),
  })
  .meta({ id: 'PostEvent', description: 'An event of a post.' });

const Output = z.strictObject({
  events: z.array(PostEvent).describe('The events, newest first.'),
  nextCursor: nextCursorOutput(),
});

export const listEvents = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/posts/{postId}/events',
      tags: ['Posts'],
      summary: 'List the events of a post',
      description:
        'Lists the events of a post, newest first, each with its deliveries to the webhooks within the reach of the key. Events and deliveries are kept for 30 days.',
    },
    access: 'key',
    scope: 'webhooks:read',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'list_post_events',
      toolset: 'ledger',
      title: 'List the events of a post',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(({ ctx, input }) => list(ctx.services, ctx.caller, input.postId, input));
