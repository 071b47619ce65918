/**
 * Changes the url, events, description or enabled state of a webhook (docs/contract/webhooks.md#changing-a-webhook).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { EventName } from '../../entities/event.ts';
import type { Webhook } from '../../entities/webhook.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { holdMakerAnd, type Maker } from '../access/maker.ts';
import { lockWebhook } from './lock-webhook.ts';
import { pauseDeliveries, resumeDeliveries } from './pause-deliveries.ts';
import { findWebhook } from './reachable-webhooks.ts';
import { requireReceiver } from './receiver-url.ts';
import { webhookView, type WebhookView } from './webhook-view.ts';
import type { WithReceivers } from './receivers.ts';

/** Absent fields stay unchanged. */
export interface WebhookChanges {
  readonly url?: string | undefined;
  readonly events?: readonly EventName[] | undefined;
  /** Null clears it. */
  readonly description?: string | null | undefined;
  /** True also clears the failure state of the webhook; paused deliveries resume. */
  readonly enabled?: boolean | undefined;
}

/**
 * A webhook with a new address ends with the key or agent that set it, as a new webhook does.
 *
 * @throws ServiceError not_found, invalid_request when the address is no https address on the public internet, unauthorized
 *   when the caller's key or grant was revoked meanwhile
 */
export async function updateWebhook(
  context: Context & WithReceivers,
  caller: Caller,
  webhookId: string,
  changes: WebhookChanges,
): Promise<WebhookView> {
  const { url, events, description, enabled } = changes;
  await findWebhook(context.db.em(), caller, webhookId);
  // The host is looked up outside the transaction.
  if (url !== undefined) await requireReceiver(context, url);
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const lock = () => lockWebhook(em, caller, webhookId);
    const { maker, row: webhook } = await holdMakerAnd(em, caller, lock);
    if (events !== undefined) webhook.events = [...new Set(events)];
    if (description !== undefined) webhook.description = description;
    if (url !== undefined) changeUrl(webhook, url, maker);
    if (enabled === true) await enable(em, webhook);
    if (enabled === false && webhook.disabledAt == null) await disable(em, webhook, context.clock.now());
    await em.flush();
    return webhookView(webhook);
  });
}

function changeUrl(webhook: Webhook, url: string, maker: Maker): void {
  if (url === webhook.url) return;
  Object.assign(webhook, { ...maker, url });
  webhook.revision += 1;
  forgetFailures(webhook);
}

async function enable(em: SqlEntityManager, webhook: Webhook): Promise<void> {
  forgetFailures(webhook);
  if (webhook.disabledAt == null) return;
  webhook.disabledAt = null;
  webhook.disabledReason = null;
  webhook.revision += 1;
  await resumeDeliveries(em, webhook.id);
}

async function disable(em: SqlEntityManager, webhook: Webhook, now: Date): Promise<void> {
  webhook.disabledAt = now;
  webhook.disabledReason = 'requested';
  webhook.revision += 1;
  await pauseDeliveries(em, [webhook.id]);
}

function forgetFailures(webhook: Webhook): void {
  webhook.failing = false;
  webhook.failingSince = null;
  webhook.lastFailedAt = null;
}
