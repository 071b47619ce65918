/**
 * Changes the url, events, description or enabled state of a webhook (docs/contract/webhooks.md#changing-a-webhook).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { EventName } from '../../entities/event.ts';
import type { Webhook } from '../../entities/webhook.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { holdMakerAnd, type Maker } from '../access/maker.ts';
import { adjustDeliveries } from './adjust-deliveries.ts';
import { lockWebhook } from './lock-webhook.ts';
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
    if (enabled === true) forgetFailures(webhook);
    const isSwitched = enabled !== undefined && enabled !== (webhook.disabledAt == null);
    const now = context.clock.now();
    if (isSwitched) switchState(webhook, enabled, now);
    await em.flush();
    if (isSwitched) await adjustDeliveries(em, [webhookId], now);
    return webhookView(webhook);
  });
}

function changeUrl(webhook: Webhook, url: string, maker: Maker): void {
  if (url === webhook.url) return;
  Object.assign(webhook, { ...maker, url });
  webhook.revision += 1;
  forgetFailures(webhook);
}

function switchState(webhook: Webhook, isEnabled: boolean, now: Date): void {
  webhook.disabledAt = isEnabled ? null : now;
  webhook.disabledReason = isEnabled ? null : 'requested';
  webhook.revision += 1;
}

function forgetFailures(webhook: Webhook): void {
  webhook.failing = false;
  webhook.failingSince = null;
  webhook.lastFailedAt = null;
}
