/** GET /webhooks/{webhookId}/deliveries/{deliveryId}: a delivery with its body and its attempts. */
import { z } from 'zod';
import { getDelivery as get } from '../../services/webhooks/get-delivery.ts';
import { uuidInput } from '../schemas/common.ts';
import { DeliveryDetail, WebhookIdInput } from '../schemas/webhook.ts';
import { keyedProcedure } from '../procedures.ts';

export const getDelivery = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/webhooks/{webhookId}/deliveries/{deliveryId}',
      tags: ['Webhooks'],
      summary: 'Get a delivery',
      description:
        'Reads one delivery: the exact body that the receiver gets, and each attempt with its time, duration and result. Signatures and response bodies are not stored.',
    },
    access: 'key',
    scope: 'webhooks:read',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'get_delivery',
      toolset: 'webhooks',
      title: 'Get a delivery',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(z.strictObject({ webhookId: WebhookIdInput, deliveryId: uuidInput('Id of the delivery.') }))
  .output(z.strictObject({ delivery: DeliveryDetail }))
  .query(async ({ ctx, input }) => ({
    delivery: await get(ctx.services, ctx.caller, input.webhookId, input.deliveryId),
  }));
