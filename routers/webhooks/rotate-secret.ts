/**
 * POST /webhooks/{webhookId}/rotate-secret: creates a new secret; both are valid for a day
 * (docs/contract/webhooks.md#rotating-a-secret).
 */
import { z } from 'zod';
import { rotateSecret as rotate } from '../../services/webhooks/rotate-secret.ts';
import { timestampOutput } from '../schemas/common.ts';
import { NewWebhook, WebhookIdInput } from '../schemas/webhook.ts';
import { keyedProcedure } from '../procedures.ts';

const Output = z.strictObject({
  webhook: NewWebhook,
  previousSecretUntil: timestampOutput('Until when deliveries are signed with the secret before this one too.'),
});

export const rotateSecret = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/webhooks/{webhookId}/rotate-secret',
      tags: ['Webhooks'],
      summary: 'Rotate the secret of a webhook',
      description:
        'Gives the webhook a new secret, which is in this answer only. For 24 hours each delivery is signed with the secret before it too; a second rotation within them ends that one at once.',
    },
    access: 'key',
    scope: 'webhooks:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'rotate_webhook_secret',
      toolset: 'webhooks',
      title: 'Rotate the secret of a webhook',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
    },
  })
  .input(z.strictObject({ webhookId: WebhookIdInput }))
  .output(Output)
  .mutation(({ ctx, input }) => rotate(ctx.services, ctx.caller, input.webhookId));
