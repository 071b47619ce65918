/** Lists the caller's webhooks, newest first, a page at a time. */
import { Webhook } from '../../entities/webhook.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { type Page, pageOf } from '../paging.ts';
import { reachableWebhooks } from './reachable-webhooks.ts';
import { webhookView, type WebhookView } from './webhook-view.ts';

export interface WebhookPage {
  /** 1 to 100. */
  readonly limit: number;
  /** Id of a webhook; the page starts after it, with older ones. */
  readonly cursor?: string | undefined;
}

export async function listWebhooks(
  context: Context,
  caller: Caller,
  { limit, cursor }: WebhookPage,
): Promise<Page<WebhookView>> {
  const where = { ...Object(reachableWebhooks(caller)), ...(cursor !== undefined && { id: { $lt: cursor } }) };
  const webhooks = await context.db.em().find(Webhook, where, { orderBy: { id: 'desc' }, limit: limit + 1 });
  return pageOf(webhooks.map(webhookView), limit);
}
