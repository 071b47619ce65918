/** DELETE /webhooks/{webhookId}: stops deliveries. */
import { z } from 'zod';
import { deleteWebhook as remove } from '../../services/webhooks/delete-webhook.ts';
import { uuidOutput } from '../schemas/common.ts';
import { WebhookIdInput } from '../schemas/webhook.ts';
import { keyedProcedure } from '../procedures.ts';

export const deleteWebhook = keyedProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/webhooks/{webhookId}',
      tags: ['Webhooks'],
      summary: 'Delete a webhook',
      description: 'Ends a webhook. What is queued for it fails, and its deliveries can no longer be read.',
    },
    access: 'key',
    scope: 'webhooks:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'delete_webhook',
      toolset: 'webhooks',
      title: 'Delete a webhook',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      confirmation: 'End this webhook? What is queued for it is dropped.',
    },
  })
  .input(z.strictObject({ webhookId: WebhookIdInput }))
  .output(z.strictObject({ id: uuidOutput('Id of the webhook.'), deleted: z.literal(true) }))
  .mutation(async ({ ctx, input }) => {
    await remove(ctx.services, ctx.caller, input.webhookId);
    return { id: input.webhookId, deleted: true as const };
  });
