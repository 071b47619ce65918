/**
 * Gives a webhook a new secret. For a day the previous secret also signs deliveries
 * (docs/contract/webhooks.md#rotating-a-secret).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { timestamp } from '../timestamp.ts';
import { lockWebhook } from './lock-webhook.ts';
import { newWebhookSecret } from './new-secret.ts';
import { webhookView, type WebhookView } from './webhook-view.ts';

const OVERLAP_MS = 86_400_000;

export interface RotatedSecret {
  webhook: WebhookView & { secret: string };
  /** Until when the previous secret also signs deliveries. */
  previousSecretUntil: string;
}

/**
 * Only the latest previous secret is kept: rotating twice within a day ends the oldest at once.
 *
 * @throws ServiceError not_found for an unknown, deleted or foreign webhook
 */
export async function rotateSecret(context: Context, caller: Caller, webhookId: string): Promise<RotatedSecret> {
  const secret = newWebhookSecret(context.random);
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const webhook = await lockWebhook(em, caller, webhookId);
    const until = new Date(context.clock.now().getTime() + OVERLAP_MS);
    webhook.previousSecret = webhook.secret;
    webhook.previousSecretUntil = until;
    webhook.secret = context.vault.seal(secret, webhookId);
    webhook.revision += 1;
    await em.flush();
    return { webhook: { ...webhookView(webhook), secret }, previousSecretUntil: timestamp(until) };
  });
}
