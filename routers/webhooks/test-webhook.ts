/** POST /webhooks/{webhookId}/test: queues a delivery with a sample post. */
import { z } from 'zod';
import { testWebhook as test } from '../../services/webhooks/test-webhook.ts';
import { Delivery, WebhookIdInput } from '../schemas/webhook.ts';
import { keyedProcedure } from '../procedures.ts';

export const testWebhook = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/webhooks/{webhookId}/test',
      tags: ['Webhooks'],
      summary: 'Test a webhook',
      description:
        'Queues a post.sent delivery with a made-up post and "test": true, regardless of the events it subscribes to. It is signed, retried and listed like any other. Not while the webhook is disabled.',
    },
    access: 'key',
    scope: 'webhooks:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'test_webhook',
      toolset: 'webhooks',
      title: 'Test a webhook',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: true,
    },
  })
  .input(z.strictObject({ webhookId: WebhookIdInput }))
  .output(z.strictObject({ delivery: Delivery }))
  .mutation(async ({ ctx, input }) => ({ delivery: await test(ctx.services, ctx.caller, input.webhookId) }));
