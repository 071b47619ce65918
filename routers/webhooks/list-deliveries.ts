/** GET /webhooks/{webhookId}/deliveries: the past and pending deliveries of a webhook. */
import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { LISTED_STATUSES, listDeliveries as list } from '../../services/webhooks/list-deliveries.ts';
import { nextCursorOutput, pagination, uuidInput } from '../schemas/common.ts';
import { Delivery, WebhookIdInput } from '../schemas/webhook.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  webhookId: WebhookIdInput,
  status: z.enum(LISTED_STATUSES).describe('Give only deliveries in this status.').optional(),
  limit: pagination.limit,
  startingAfter: uuidInput('Id of the last delivery of the page before: gives those older than it.').optional(),
  cursor: uuidInput('The nextCursor of the page before; the same as startingAfter.').optional(),
});

const Output = z.strictObject({
  deliveries: z.array(Delivery).describe('The deliveries, newest first.'),
  limit: z.int().describe('The limit that was used.'),
  hasMore: z.boolean().describe('Whether there are older ones.'),
  nextCursor: nextCursorOutput(),
});

export const listDeliveries = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/webhooks/{webhookId}/deliveries',
      tags: ['Webhooks'],
      summary: 'List deliveries',
      description:
        'Lists the deliveries of a webhook, newest first. They are kept for 30 days, dead ones for 30 days from their death.',
    },
    access: 'key',
    scope: 'webhooks:read',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'list_deliveries',
      toolset: 'webhooks',
      title: 'List deliveries',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => {
    const { webhookId, limit, cursor, ...filter } = input;
    const startingAfter = filter.startingAfter ?? cursor;
    if (cursor !== undefined && cursor !== startingAfter) {
      throw new ServiceError('invalid_request', 'cursor: the same as startingAfter; send one of them.');
    }
    const page = await list(ctx.services, ctx.caller, webhookId, { ...filter, limit, startingAfter });
    return { deliveries: page.items, limit, hasMore: page.nextCursor !== null, nextCursor: page.nextCursor };
  });
