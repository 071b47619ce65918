/** POST /webhooks/{webhookId}/deliveries/{deliveryId}/replay: sends a delivery again. */
import { z } from 'zod';
import { replayDelivery as replay } from '../../services/webhooks/replay-delivery.ts';
import { uuidInput } from '../schemas/common.ts';
import { Delivery, WebhookIdInput } from '../schemas/webhook.ts';
import { keyedProcedure } from '../procedures.ts';

export const replayDelivery = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/webhooks/{webhookId}/deliveries/{deliveryId}/replay',
      tags: ['Webhooks'],
      summary: 'Replay a delivery',
      description:
        'Sends a delivery again that is delivered, failed or dead: the same event id and body, with seven new attempts. Not while the webhook is disabled.',
    },
    access: 'key',
    scope: 'webhooks:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'replay_delivery',
      toolset: 'webhooks',
      title: 'Replay a delivery',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: true,
    },
  })
  .input(z.strictObject({ webhookId: WebhookIdInput, deliveryId: uuidInput('Id of the delivery.') }))
  .output(z.strictObject({ delivery: Delivery }))
  .mutation(async ({ ctx, input }) => ({
    delivery: await replay(ctx.services, ctx.caller, input.webhookId, input.deliveryId),
  }));
