/** Lists the caller's webhooks, newest first. */
import { Webhook } from '../../entities/webhook.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { reachableWebhooks } from './reachable-webhooks.ts';
import { webhookView, type WebhookView } from './webhook-view.ts';

export async function listWebhooks(context: Context, caller: Caller): Promise<WebhookView[]> {
  const webhooks = await context.db.em().find(Webhook, reachableWebhooks(caller), { orderBy: { id: 'desc' } });
  return webhooks.map(webhookView);
}
