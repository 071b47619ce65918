/** Sends a finished delivery again: the same event and the same bytes, with a new series of attempts. */
import type { DeliveryStatus } from '../../entities/delivery.ts';
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { DELIVERY_COLUMNS, type DeliveryRow, type DeliveryView, deliveryView } from './delivery-view.ts';
import { findWebhook, noWebhook, requireEnabled } from './reachable-webhooks.ts';

// Locks the webhook's row against a concurrent deletion, which would leave the delivery behind.
const REPLAY = `
  with living as (select id from webhooks where id = $2 and deleted_at is null and disabled_at is null for key share)
  update deliveries d set status = 'pending', attempts = 0, next_attempt_at = $3, delivered_at = null, dead_at = null,
    last_status_code = null, last_error = null, paused = false
  from living where d.id = $1 and d.webhook_id = living.id and d.status in ('dead', 'failed', 'delivered')
  returning ${DELIVERY_COLUMNS.replace('id,', 'd.id,')}`;

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
  const [row] = await query<DeliveryRow>(context.db.em(), REPLAY, [deliveryId, webhookId, context.clock.now()]);
  if (row !== undefined) return deliveryView(row);
  const sql = 'select status from deliveries where id = $1 and webhook_id = $2';
  const [present] = await query<{ status: DeliveryStatus }>(context.db.em(), sql, [deliveryId, webhookId]);
  if (present === undefined) {
    throw new ServiceError('not_found', `No delivery of this webhook has the id ${deliveryId}.`);
  }
  if (!['pending', 'processing'].includes(present.status)) throw noWebhook(webhookId);
  throw new ServiceError(
    'invalid_request',
    `This delivery is ${present.status}: it is going out by itself, so there is nothing to replay.`,
  );
}
