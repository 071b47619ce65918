/** POST /webhooks: registers an address for events. */
import { z } from 'zod';
import { DEFAULT_EVENT_NAMES } from '../../entities/event.ts';
import { createWebhook as create } from '../../services/webhooks/create-webhook.ts';
import { EventNames, NewWebhook, ReceiverUrl, WebhookDescription } from '../schemas/webhook.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  url: ReceiverUrl.describe('An https address on a public host; plain http only where the install allows it.'),
  events: EventNames.describe(
    `Names of the events to receive. Left out: ${DEFAULT_EVENT_NAMES.join(', ')}. The others come only to webhooks that name them.`,
  ).optional(),
  description: WebhookDescription.optional().describe('Label for people, 1 to 200 characters.'),
});

export const createWebhook = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/webhooks',
      tags: ['Webhooks'],
      summary: 'Register a webhook',
      description:
        'Registers an address that events are posted to, signed and retried. It receives what its key reaches: the whole account, the key’s profile, or for a test key what was made in test mode. The secret is in this answer only. A profile may have 20 webhooks, an account 100.',
    },
    access: 'key',
    scope: 'webhooks:write',
    errors: ['invalid_request', 'limit_exceeded'],
    changes: { type: 'webhook', answer: 'webhook.id' },
    tool: {
      name: 'create_webhook',
      toolset: 'webhooks',
      title: 'Register a webhook',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: true,
    },
  })
  .input(Input)
  .output(z.strictObject({ webhook: NewWebhook }))
  .mutation(async ({ ctx, input }) => ({ webhook: await create(ctx.services, ctx.caller, input) }));
