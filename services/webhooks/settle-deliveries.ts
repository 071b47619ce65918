/** Stores the outcomes of attempts, many in one statement, and only for attempts that still hold their claim. */
import { columns } from '../../entities/column-lists.ts';

import { type RecordOf, records, statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import type { AttemptOutcome } from './attempt-delivery.ts';
import type { ClaimedDelivery, WebhookLease } from './claim-webhook-leases.ts';
import { timestamp } from '../timestamp.ts';
import { nextAttemptAt } from './schedule.ts';

/** A finished attempt. */
export interface DeliverySettlement {
  readonly lease: WebhookLease;
  readonly delivery: ClaimedDelivery;
  readonly outcome: AttemptOutcome;
}

/** Most attempts in the log of a delivery: two full series and half of a third. */
const LOGGED_MAX = 20;

/** The entry of an outcome `i` in the log, as {@link LoggedAttempt}. */
const LOGGED = `jsonb_build_array(jsonb_build_object('attempt', i.attempts, 'at', i.attempted_at, 'durationMs', i.duration_ms,
          'statusCode', i.last_status_code, 'error', i.last_error))`;

// What is the same for all attempts under a lease, or of a statement, is passed once.
const LEASES = records({
  lease: 'int',
  webhook_id: 'uuid',
  claim: 'uuid',
  /** Revision of the webhook when the lease was taken. */
  revision: 'int',
});

const OUTCOMES = records({
  position: 'int',
  lease: 'int',
  ...columns('deliveries', ['id', 'status', 'attempts', 'last_status_code', 'last_error']).types,
  /** Time of the next attempt; null when there is none. */
  retry_at: 'timestamptz?',
  /** As in the log. */
  attempted_at: 'text',
  duration_ms: 'int',
});

// Locks webhooks before their deliveries, as everywhere. It leaves out a webhook that another transaction has locked: the outcomes
// of all others would wait for it. A webhook whose row is gone, after a restore or a failover, counts as changed: left out, its outcomes
// would be repeated for ever. An outcome updates the webhook's failure state only if the webhook has not changed since the attempt.
// PostgreSQL expects a hundred rows in a record set, and would read the whole table for them; the array of ids leads it to the index.
const storeOutcomes = statement('settle attempts of deliveries', {
  parameters: { leases: LEASES, outcomes: OUTCOMES, now: 'timestamptz' },
  result: { is_current: 'boolean?' },
  sql: ({ leases, outcomes, now }) => `
    with input as materialized (
      select * from ${outcomes} join ${leases} using (lease)
    ), locked as materialized (
      select w.id, w.revision from webhooks w where w.id in (select webhook_id from input) order by w.id
      for no key update skip locked
    ), settled as (
      update deliveries d set status = i.status, attempts = i.attempts, claim = null,
        next_attempt_at = coalesce(i.retry_at, d.next_attempt_at),
        delivered_at = case when i.status = 'delivered' then ${now} end, dead_at = case when i.status = 'dead' then ${now} end,
        last_status_code = i.last_status_code, last_error = i.last_error,
        attempt_log = case when jsonb_array_length(d.attempt_log) >= ${LOGGED_MAX} then d.attempt_log - 0
          else coalesce(d.attempt_log, '[]') end || ${LOGGED}
      from input i join locked l on l.id = i.webhook_id
      where d.id = any(array(select id from input)) and d.id = i.id and d.claim = i.claim and d.status = 'processing'
      returning d.webhook_id, i.position, i.attempted_at::timestamptz as at, i.status <> 'delivered' as failed,
        l.revision = i.revision as is_current
    ), ranked as (
      select s.*, max(position) filter (where not failed) over (partition by webhook_id) as last_success
      from settled s where is_current
    ), summary as (
      select webhook_id, max(last_success) is not null as had_success,
        min(at) filter (where position > coalesce(last_success, -1)) as failing_from,
        max(at) filter (where position > coalesce(last_success, -1)) as failed_at
      from ranked group by webhook_id
    ), marked as (
      update webhooks w set failing = s.failing_from is not null, last_failed_at = s.failed_at,
        failing_since = case when s.had_success then s.failing_from else coalesce(w.failing_since, s.failing_from) end
      from summary s where w.id = s.webhook_id and (w.failing or s.failing_from is not null)
    )
    select case when l.id is not null or exists (select from webhooks w where w.id = i.webhook_id) then l.revision = i.revision
      else false end as is_current
    from input i left join locked l on l.id = i.webhook_id order by i.position`,
});

/**
 * Stores outcomes, and since when the webhooks fail.
 *
 * @returns for each settlement, in order, whether its webhook is unchanged since the lease was taken; false also when its row is
 *   gone; null for one that is not stored, because another transaction has locked its webhook
 */
export async function settleDeliveries(
  context: Context,
  settlements: readonly DeliverySettlement[],
): Promise<(boolean | null)[]> {
  const numbers = new Map<WebhookLease, number>();
  const outcomes = settlements.map((settlement, position) => {
    const lease = numbers.getOrInsertComputed(settlement.lease, () => numbers.size);
    return { position, lease, ...outcomeOf(settlement) };
  });
  const leases = Array.from(numbers, ([{ webhookId, claim, revision }, lease]) => {
    return { lease, webhook_id: webhookId, claim, revision };
  });
  const rows = await storeOutcomes(context.db.queries, { leases, outcomes, now: context.clock.now() });
  return rows.map((row) => row.is_current);
}

function outcomeOf({
  delivery,
  outcome: { delivered, attemptedAt, durationMs, statusCode, error },
}: DeliverySettlement): Omit<RecordOf<typeof OUTCOMES>, 'position' | 'lease'> {
  const attempts = delivery.attempts + 1;
  const retryAt = delivered ? null : nextAttemptAt(attempts, attemptedAt);
  return {
    id: delivery.id,
    status: delivered ? 'delivered' : retryAt === null ? 'dead' : 'pending',
    attempts,
    attempted_at: timestamp(attemptedAt),
    duration_ms: durationMs,
    // What is null is left out of the JSON, so that PostgreSQL has less to read.
    retry_at: retryAt ?? undefined,
    last_status_code: statusCode ?? undefined,
    last_error: error ?? undefined,
  };
}
