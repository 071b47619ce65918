/**
 * PATCH /webhooks/{webhookId}: changes the address, events and label of a webhook, and whether it is enabled
 * (docs/contract/webhooks.md#changing-a-webhook).
 */
import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { updateWebhook as update } from '../../services/webhooks/update-webhook.ts';
import { EventNames, ReceiverUrl, Webhook, WebhookDescription, WebhookIdInput } from '../schemas/webhook.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  webhookId: WebhookIdInput,
  url: ReceiverUrl.optional().describe('A new address. What waits is delivered there too.'),
  events: EventNames.optional().describe('Names of the events to receive from now on, instead of those before.'),
  description: WebhookDescription.nullable()
    .optional()
    .describe('Label for people, 1 to 200 characters; null removes it.'),
  enabled: z
    .boolean()
    .optional()
    .describe('false stops deliveries: what waits keeps waiting, new events are not stored. true lets it go on.'),
});

export const updateWebhook = keyedProcedure
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/webhooks/{webhookId}',
      tags: ['Webhooks'],
      summary: 'Change a webhook',
      description:
        'Changes the address, the events or the label of a webhook, or disables or enables it; only what is sent. Its secret stays.',
    },
    access: 'key',
    scope: 'webhooks:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'update_webhook',
      toolset: 'webhooks',
      title: 'Change a webhook',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: true,
    },
  })
  .input(Input)
  .output(z.strictObject({ webhook: Webhook }))
  .mutation(async ({ ctx, input: { webhookId, ...changes } }) => {
    if (Object.values(changes).every((value) => value === undefined)) {
      throw new ServiceError('invalid_request', 'body: name at least one of url, events, description, enabled.');
    }
    return { webhook: await update(ctx.services, ctx.caller, webhookId, changes) };
  });
