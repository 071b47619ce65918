/** GET /webhooks: the webhooks that a key manages, newest first. */
import { z } from 'zod';
import { listWebhooks as list } from '../../services/webhooks/list-webhooks.ts';
import { pageInput, pageOutput } from '../schemas/common.ts';
import { Webhook } from '../schemas/webhook.ts';
import { keyedProcedure } from '../procedures.ts';

/** The most webhooks that an account may have, so that one page holds them all. */
const LIMIT = 100;

const Input = z.strictObject({
  ...pageInput('webhooks', LIMIT),
});

const Output = z.strictObject({
  webhooks: z.array(Webhook).describe('The webhooks, newest first.'),
  ...pageOutput(),
});

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
    errors: ['invalid_request'],
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
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => {
    const { items, nextCursor } = await list(ctx.services, ctx.caller, input);
    return { webhooks: items, limit: input.limit, nextCursor };
  });
