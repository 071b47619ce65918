/** Registers a webhook. Its reach is that of the key it is registered with (D40); its secret is told once. */
import type { EventName } from '../../entities/event.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Webhook } from '../../entities/webhook.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { holdMaker } from '../keys/maker.ts';
import { newWebhookSecret } from './new-secret.ts';
import { requireReceiver } from './receiver-url.ts';
import { webhookView, type WebhookView } from './webhook-view.ts';

export interface NewWebhook {
  readonly url: string;
  /** Left out, all events, those that later versions bring too. */
  readonly events?: readonly EventName[] | undefined;
}

/**
 * @throws ServiceError invalid_request when the address is no https address on the public internet; unauthorized when the
 *   caller's key or grant has just been revoked
 */
export async function createWebhook(
  context: Context,
  caller: Caller,
  { url, events }: NewWebhook,
): Promise<WebhookView & { secret: string }> {
  await requireReceiver(context, url);
  const id = context.random.uuid();
  const secret = newWebhookSecret(context.random);
  const webhook = await context.db.em().transactional(async (em: SqlEntityManager) => {
    const maker = await holdMaker(em, caller);
    return em.create(Webhook, {
      ...maker,
      id,
      accountId: caller.accountId,
      profileId: caller.profileId,
      mode: caller.mode,
      url,
      events: events === undefined ? null : [...new Set(events)],
      secret: context.vault.seal(secret, id),
      createdAt: context.clock.now(),
    });
  });
  return { ...webhookView(webhook), secret };
}
