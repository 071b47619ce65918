/** Sends a finished delivery again: the same event and the same bytes, with a new series of attempts. */
import { Delivery } from '../../entities/delivery.ts';
import { statement } from '../../entities/statement.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { DELIVERY, type DeliveryView, deliveryView } from './delivery-view.ts';
import { noDelivery } from './get-delivery.ts';
import { findWebhook, refuseEnded, requireEnabled } from './reachable-webhooks.ts';

// Locks the webhook's row against a concurrent deletion, which would leave the delivery behind.
const replay = statement('replay a delivery', {
  parameters: { deliveryId: 'uuid', webhookId: 'uuid', now: 'timestamptz' },
  result: DELIVERY.types,
  sql: ({ deliveryId, webhookId, now }) => `
    with enabled as (
      select id from webhooks where id = ${webhookId} and deleted_at is null and disabled_at is null for key share
    )
    update deliveries d set status = 'pending', attempts = 0, next_attempt_at = ${now}, delivered_at = null,
      dead_at = null, last_status_code = null, last_error = null, paused = false
    from enabled where d.id = ${deliveryId} and d.webhook_id = enabled.id
      and d.status in ('dead', 'failed', 'delivered')
    returning ${DELIVERY.sql}`,
});

/**
 * @throws ServiceError not_found (webhook or delivery), invalid_request (it has not ended, or the webhook is disabled)
 */
export async function replayDelivery(
  context: Context,
  caller: Caller,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryView> {
  requireEnabled(await findWebhook(context.db.em(), caller, webhookId));
  const [row] = await replay(context.db.em(), { deliveryId, webhookId, now: context.clock.now() });
  if (row !== undefined) return deliveryView(row);
  const present = await context.db.em().findOne(Delivery, { id: deliveryId, webhookId }, { fields: ['status'] });
  if (present === null) throw noDelivery(deliveryId);
  if (!['pending', 'processing'].includes(present.status)) return refuseEnded(context, caller, webhookId);
  throw new ServiceError(
    'invalid_request',
    `This delivery is ${present.status}; only a delivered, failed or dead delivery can be replayed.`,
  );
}
