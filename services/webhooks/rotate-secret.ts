/**
 * Gives a webhook a new secret. For a day the previous secret also signs deliveries
 * (docs/contract/webhooks.md#rotating-a-secret).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ApiKey } from '../../entities/api-key.ts';
import type { Webhook } from '../../entities/webhook.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { holdMakerAnd } from '../access/maker.ts';
import { isAccountKey } from '../access/is-account-key.ts';
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
 * Only the latest previous secret is kept: rotating twice within a day ends the oldest at once. A webhook that would stay ends
 * with the key or agent that gets its secret, which could sign in its name; one that ends with another still does, because
 * that one chose its url.
 *
 * @throws ServiceError not_found for an unknown, deleted or foreign webhook, unauthorized when the caller's key or grant was
 *   revoked meanwhile
 */
export async function rotateSecret(context: Context, caller: Caller, webhookId: string): Promise<RotatedSecret> {
  const secret = newWebhookSecret(context.random);
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const lock = () => lockWebhook(em, caller, webhookId);
    const { maker, row: webhook } = await holdMakerAnd(em, caller, lock);
    const until = new Date(context.clock.now().getTime() + OVERLAP_MS);
    if (!(await endsWithItsMaker(em, webhook))) Object.assign(webhook, maker);
    Object.assign(webhook, { previousSecret: webhook.secret, previousSecretUntil: until });
    webhook.secret = context.vault.seal(secret, webhookId);
    webhook.revision += 1;
    await em.flush();
    return { webhook: { ...webhookView(webhook), secret }, previousSecretUntil: timestamp(until) };
  });
}

/** What a person, the operator or an account key made stays (docs/contract/profiles-and-keys.md#limits-that-keys-pass-on). */
async function endsWithItsMaker(em: SqlEntityManager, { grantId, createdByKeyId }: Webhook): Promise<boolean> {
  if (grantId != null) return true;
  const key = createdByKeyId == null ? null : await em.findOne(ApiKey, { id: createdByKeyId });
  return key !== null && !isAccountKey(key);
}
