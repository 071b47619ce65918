/** Locks a webhook until the end of the transaction that changes it. */
import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Webhook } from '../../entities/webhook.ts';
import type { Caller } from '../access/caller.ts';
import { noWebhook, reachableWebhooks } from './reachable-webhooks.ts';

/**
 * Waits for deliveries that are being created for the webhook, so that later statements see them.
 *
 * @throws ServiceError not_found for an unknown, deleted or foreign webhook
 */
export async function lockWebhook(em: SqlEntityManager, caller: Caller, webhookId: string): Promise<Webhook> {
  const where = { ...Object(reachableWebhooks(caller)), id: webhookId };
  const webhook = await em.findOne(Webhook, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (webhook === null) throw noWebhook(webhookId);
  return webhook;
}
