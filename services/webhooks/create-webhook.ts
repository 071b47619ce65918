/**
 * Registers a webhook. It reaches what the key that registers it reaches
 * (docs/contract/webhooks.md#which-events-a-webhook-gets). Its secret is shown once.
 */
import type { EventName } from '../../entities/event.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Webhook } from '../../entities/webhook.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { holdMaker } from '../access/maker.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { holdOwnProfile } from '../access/hold-profile.ts';
import { newWebhookSecret } from './new-secret.ts';
import { requireReceiver } from './receiver-url.ts';
import { requireWebhookCapacity } from './webhook-limits.ts';
import { webhookView, type WebhookView } from './webhook-view.ts';
import type { WithReceivers } from './receivers.ts';

export interface NewWebhook {
  readonly url: string;
  /** Default: DEFAULT_EVENT_NAMES. */
  readonly events?: readonly EventName[] | undefined;
  /** Label for people. */
  readonly description?: string | undefined;
}

/**
 * @throws ServiceError invalid_request when the address is no https address on the public internet, limit_exceeded,
 * unauthorized when the caller's profile, key or grant was deleted or revoked meanwhile
 */
export async function createWebhook(
  context: Context & WithReceivers,
  caller: Caller,
  { url, events, description }: NewWebhook,
): Promise<WebhookView & { secret: string }> {
  await requireReceiver(context, url);
  const { accountId, profileId, mode } = caller;
  const secret = newWebhookSecret(context.random);
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    if (profileId !== null) await holdOwnProfile(em, caller, profileId);
    const { maker } = await holdMaker(em, caller);
    await lockAccount(em, accountId);
    await requireWebhookCapacity(em, accountId, profileId);
    // Generated under the lock, so that a later id means a later registration.
    const id = context.random.uuid();
    const webhook = em.create(Webhook, {
      ...maker,
      id,
      accountId,
      profileId,
      mode,
      url,
      events: events === undefined ? null : [...new Set(events)],
      description: description ?? null,
      secret: context.vault.seal(secret, id),
      createdAt: context.clock.now(),
    });
    await em.flush();
    return { ...webhookView(webhook), secret };
  });
}
