/** Reads one delivery with the body that the receiver gets and the log of its attempts. */
import type { LoggedAttempt } from '../../entities/delivery.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { DELIVERY_COLUMNS, deliveryView } from './delivery-view.ts';
import { findWebhook } from './reachable-webhooks.ts';

/** @throws ServiceError not_found (webhook or delivery) */
export async function getDelivery(context: Context, caller: Caller, webhookId: string, deliveryId: string) {
  await findWebhook(context.db.em(), caller, webhookId);
  const row = await tables(context.db.queries)
    .selectFrom('deliveries')
    .select([...DELIVERY_COLUMNS, 'webhook_id', 'mode', 'body', 'attempt_log'])
    .where('id', '=', deliveryId)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst();
  if (row === undefined) throw noDelivery(deliveryId);
  return {
    ...deliveryView(row),
    webhookId: row.webhook_id,
    mode: row.mode,
    body: row.body,
    attemptLog: (row.attempt_log ?? []).map(attemptView),
  };
}

function attemptView({ attempt, at, durationMs, statusCode, error }: LoggedAttempt) {
  return { attempt, attemptedAt: at, durationMs, statusCode, error };
}

export function noDelivery(deliveryId: string): ServiceError {
  return new ServiceError('not_found', `No delivery of this webhook has the id ${deliveryId}.`);
}
