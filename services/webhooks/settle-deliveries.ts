/** Stores the outcomes of attempts, many in one statement, and only for attempts that still hold their claim. */
import { columns } from '../../entities/column-lists.ts';
import type { LoggedAttempt } from '../../entities/delivery.ts';
import { typed } from '../../entities/sql-types.ts';
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

const OUTCOMES = records({
  ...columns('deliveries', [
    'id',
    'webhook_id',
    'claim',
    'status',
    'attempts',
    'delivered_at',
    'dead_at',
    'last_status_code',
    'last_error',
  ]).types,
  /** Time of the next attempt; null when there is none. */
  retry_at: 'timestamptz?',
  attempted_at: 'timestamptz',
  logged: typed<readonly [LoggedAttempt]>('jsonb'),
  /** Revision of the webhook when the lease was taken. */
  revision: 'int',
  position: 'int',
});

// Locks webhooks before their deliveries, as everywhere. An outcome updates the webhook's failure state only if the
// webhook has not changed since the attempt. PostgreSQL expects a hundred rows in a record set, and would read the whole
// table for them; the ids lead it to the index.
const storeOutcomes = statement('settle attempts of deliveries', {
  parameters: { ids: 'uuid[]', outcomes: OUTCOMES },
  result: { is_current: 'boolean' },
  sql: ({ ids, outcomes }) => `
    with input as (
      select * from ${outcomes}
    ), locked as materialized (
      select w.id, w.revision from webhooks w where w.id in (select webhook_id from input) order by w.id
      for no key update
    ), settled as (
      update deliveries d set status = i.status, attempts = i.attempts, claim = null,
        next_attempt_at = coalesce(i.retry_at, d.next_attempt_at), delivered_at = i.delivered_at,
        dead_at = i.dead_at, last_status_code = i.last_status_code, last_error = i.last_error,
        attempt_log = case when jsonb_array_length(d.attempt_log) >= ${LOGGED_MAX} then d.attempt_log - 0
          else coalesce(d.attempt_log, '[]') end || i.logged
      from input i join locked l on l.id = i.webhook_id
      where d.id = any(${ids}) and d.id = i.id and d.claim = i.claim and d.status = 'processing'
      returning d.webhook_id, i.position, i.attempted_at as at, i.status <> 'delivered' as failed,
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
    select l.revision = i.revision as is_current from input i join locked l on l.id = i.webhook_id order by i.position`,
});

/**
 * Stores outcomes, and since when the webhooks fail.
 *
 * @returns for each settlement, in order, whether its webhook is unchanged since the lease was taken
 */
export async function settleDeliveries(
  context: Context,
  settlements: readonly DeliverySettlement[],
): Promise<boolean[]> {
  const outcomes = settlements.map((settlement, position) => ({ ...outcomeOf(context, settlement), position }));
  const rows = await storeOutcomes(context.db.queries, { ids: outcomes.map(({ id }) => id), outcomes });
  return rows.map((row) => row.is_current);
}

function outcomeOf(
  context: Context,
  { lease, delivery, outcome }: DeliverySettlement,
): Omit<RecordOf<typeof OUTCOMES>, 'position'> {
  const { delivered, attemptedAt, durationMs, statusCode, error } = outcome;
  const now = context.clock.now();
  const attempts = delivery.attempts + 1;
  const retryAt = delivered ? null : nextAttemptAt(attempts, attemptedAt);
  const isDead = !delivered && retryAt === null;
  return {
    id: delivery.id,
    webhook_id: lease.webhookId,
    claim: lease.claim,
    revision: lease.revision,
    attempted_at: attemptedAt,
    logged: [{ attempt: attempts, at: timestamp(attemptedAt), durationMs, statusCode, error }],
    status: delivered ? 'delivered' : isDead ? 'dead' : 'pending',
    attempts,
    retry_at: retryAt,
    delivered_at: delivered ? now : null,
    dead_at: isDead ? now : null,
    last_status_code: statusCode,
    last_error: error,
  };
}
