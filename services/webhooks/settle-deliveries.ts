/** Writes what became of attempts, many in one statement, and only for who still holds the claim. */
import { query } from '../../entities/query.ts';
import type { JsonObject } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { AttemptOutcome } from './attempt-delivery.ts';
import type { ClaimedDelivery, Lane } from './claim-lanes.ts';
import { nextAttemptAt } from './schedule.ts';

/** An attempt that is over. */
export interface DeliverySettlement {
  readonly lane: Lane;
  readonly delivery: ClaimedDelivery;
  readonly outcome: AttemptOutcome;
}

const SETTLE = `
  with input as (
    select * from jsonb_to_recordset($1::jsonb) as i(id uuid, "webhookId" uuid, claim uuid, "order" int, status text, attempts int,
      "nextAttemptAt" timestamptz, "deliveredAt" timestamptz, "deadAt" timestamptz, "statusCode" int, error text)
  ), settled as (
    update deliveries d set status = i.status, attempts = i.attempts, claim = null,
      next_attempt_at = coalesce(i."nextAttemptAt", d.next_attempt_at), delivered_at = i."deliveredAt",
      dead_at = i."deadAt", last_status_code = i."statusCode", last_error = i.error
    from input i where d.id = i.id and d.claim = i.claim and d.status = 'processing'
    returning d.webhook_id, i."order", i.status <> 'delivered' as failed
  ), latest as (
    select distinct on (webhook_id) webhook_id, failed from settled order by webhook_id, "order" desc
  )
  update webhooks w set failing = latest.failed from latest where w.id = latest.webhook_id and w.failing <> latest.failed`;

/** @returns one nothing for each settlement, as batches want it */
export async function settleDeliveries(
  context: Context,
  settlements: readonly DeliverySettlement[],
): Promise<undefined[]> {
  const rows = settlements.map((settlement, order) => ({ ...settlementRow(context, settlement), order }));
  await query(context.db.em(), SETTLE, [JSON.stringify(rows)]);
  return settlements.map(() => undefined);
}

function settlementRow(context: Context, { lane, delivery, outcome }: DeliverySettlement): JsonObject {
  const { delivered, attemptedAt, statusCode, error } = outcome;
  const now = context.clock.now().toISOString();
  const attempts = delivery.attempts + 1;
  const next = delivered ? null : nextAttemptAt(attempts, attemptedAt);
  const dead = !delivered && next === null;
  return {
    id: delivery.id,
    webhookId: lane.webhookId,
    claim: lane.claim,
    status: delivered ? 'delivered' : dead ? 'dead' : 'pending',
    attempts,
    nextAttemptAt: next?.toISOString() ?? null,
    deliveredAt: delivered ? now : null,
    deadAt: dead ? now : null,
    statusCode,
    error,
  };
}
