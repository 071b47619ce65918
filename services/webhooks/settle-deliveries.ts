/** Stores the outcomes of attempts, many in one statement, and only for attempts that still hold their claim. */
import { query } from '../../entities/query.ts';
import type { JsonObject } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { AttemptOutcome } from './attempt-delivery.ts';
import type { ClaimedDelivery, WebhookLease } from './claim-webhook-leases.ts';
import { nextAttemptAt } from './schedule.ts';

/** A finished attempt. */
export interface DeliverySettlement {
  readonly lease: WebhookLease;
  readonly delivery: ClaimedDelivery;
  readonly outcome: AttemptOutcome;
}

// Locks webhooks before their deliveries, as everywhere. An outcome updates the webhook's failure state only if the
// webhook has not changed since the attempt.
const SETTLE = `
  with input as (
    select * from jsonb_to_recordset($1::jsonb) as i(id uuid, "webhookId" uuid, claim uuid, revision int, "order" int,
      status text, attempts int, "attemptedAt" timestamptz, "nextAttemptAt" timestamptz, "deliveredAt" timestamptz,
      "deadAt" timestamptz, "statusCode" int, error text)
  ), locked as materialized (
    select w.id, w.revision from webhooks w where w.id in (select "webhookId" from input) order by w.id for no key update
  ), settled as (
    update deliveries d set status = i.status, attempts = i.attempts, claim = null,
      next_attempt_at = coalesce(i."nextAttemptAt", d.next_attempt_at), delivered_at = i."deliveredAt",
      dead_at = i."deadAt", last_status_code = i."statusCode", last_error = i.error
    from input i join locked l on l.id = i."webhookId"
    where d.id = i.id and d.claim = i.claim and d.status = 'processing'
    returning d.webhook_id, i."order", i."attemptedAt" as at, i.status <> 'delivered' as failed,
      l.revision = i.revision as is_current
  ), ranked as (
    select s.*, max("order") filter (where not failed) over (partition by webhook_id) as last_success
    from settled s where is_current
  ), summary as (
    select webhook_id, max(last_success) is not null as had_success,
      min(at) filter (where "order" > coalesce(last_success, -1)) as failing_from,
      max(at) filter (where "order" > coalesce(last_success, -1)) as failed_at
    from ranked group by webhook_id
  ), marked as (
    update webhooks w set failing = s.failing_from is not null, last_failed_at = s.failed_at,
      failing_since = case when s.had_success then s.failing_from else coalesce(w.failing_since, s.failing_from) end
    from summary s where w.id = s.webhook_id and (w.failing or s.failing_from is not null)
  )
  select l.revision = i.revision as is_current from input i join locked l on l.id = i."webhookId" order by i."order"`;

/**
 * Stores outcomes, and since when the webhooks fail.
 *
 * @returns for each settlement, in order, whether its webhook is unchanged since the lease was taken
 */
export async function settleDeliveries(
  context: Context,
  settlements: readonly DeliverySettlement[],
): Promise<boolean[]> {
  const input = settlements.map((settlement, order) => ({ ...settlementRow(context, settlement), order }));
  const rows = await query<{ is_current: boolean }>(context.db.em(), SETTLE, [JSON.stringify(input)]);
  return rows.map((row) => row.is_current);
}

function settlementRow(context: Context, { lease, delivery, outcome }: DeliverySettlement): JsonObject {
  const { delivered, attemptedAt, statusCode, error } = outcome;
  const now = context.clock.now().toISOString();
  const attempts = delivery.attempts + 1;
  const next = delivered ? null : nextAttemptAt(attempts, attemptedAt);
  const dead = !delivered && next === null;
  return {
    id: delivery.id,
    webhookId: lease.webhookId,
    claim: lease.claim,
    revision: lease.revision,
    attemptedAt: attemptedAt.toISOString(),
    status: delivered ? 'delivered' : dead ? 'dead' : 'pending',
    attempts,
    nextAttemptAt: next?.toISOString() ?? null,
    deliveredAt: delivered ? now : null,
    deadAt: dead ? now : null,
    statusCode,
    error,
  };
}
