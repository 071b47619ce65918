/** GET /webhooks: the webhooks that a key manages, newest first. */
import { z } from 'zod';
import { listWebhooks as list } from '../../services/webhooks/list-webhooks.ts';
import { Webhook } from '../schemas/webhook.ts';
import { keyedProcedure } from '../trpc.ts';

export const listWebhooks = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/webhooks',
      tags: ['Webhooks'],
      summary: 'List webhooks',
      description: 'Lists the webhooks within the reach of the key, newest first, without their secrets.',
    },
    access: 'key',
    scope: 'webhooks:read',
    errors: [],
    tool: {
      name: 'list_webhooks',
      toolset: 'webhooks',
      title: 'List webhooks',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(z.strictObject({}))
  .output(z.strictObject({ webhooks: z.array(Webhook).describe('The webhooks, newest first.') }))
  .query(async ({ ctx }) => ({ webhooks: await list(ctx.services, ctx.caller) }));
