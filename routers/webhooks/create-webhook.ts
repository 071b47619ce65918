/** POST /webhooks: registers an address for events. */
import { z } from 'zod';
import { EVENT_NAMES } from '../../entities/event.ts';
import { createWebhook as create } from '../../services/webhooks/create-webhook.ts';
import { RECEIVER_URL_MAX } from '../../services/webhooks/receiver-url.ts';
import { storableText } from '../schemas/common.ts';
import { NewWebhook } from '../schemas/webhook.ts';
import { keyedProcedure } from '../trpc.ts';

const Input = z.strictObject({
  url: storableText(z.string().min(1).max(RECEIVER_URL_MAX)).describe(
    'An https address on a public host; plain http only where the install allows it.',
  ),
  events: z
    .array(z.enum(EVENT_NAMES))
    .min(1)
    .max(100)
    .describe('Names of the events to hear. Left out, all of them.')
    .optional(),
});

export const createWebhook = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/webhooks',
      tags: ['Webhooks'],
      summary: 'Register a webhook',
      description:
        'Registers an address that events are posted to, signed and retried. It hears what its key reaches: the whole account, the key’s profile, or for a test key what was made in test mode. The secret is in this answer only.',
    },
    access: 'key',
    scope: 'webhooks:write',
    errors: ['invalid_request'],
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
