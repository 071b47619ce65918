/**
 * Adjusts the open deliveries of webhooks to their state: they are paused while it is disabled, resume when it is enabled, and fail
 * when it is deleted. A long backlog is adjusted in steps, so that no one waits for long for the row of its webhook
 * (docs/decisions/0148-adjust-deliveries-in-steps.md).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { OPEN } from './claim-webhook-leases.ts';

/** Most deliveries in one step. */
const STEP = 1_000;

// Deliveries that are paused have another index than other open ones. Those of a deleted webhook that were paused and have ended
// since stay as they are. What depends on the webhook alone is a separate condition, which PostgreSQL checks before it reads any
// delivery. No order: PostgreSQL might read and sort the whole backlog in each step. Whether more may be left depends on how many are
// found, not on how many are updated: retention may remove some of them meanwhile.
const adjust = statement('adjust deliveries to the state of their webhooks', {
  parameters: { webhookIds: 'uuid[]', at: 'timestamptz' },
  sql: ({ webhookIds, at }) => `
    with found as materialized (
      select d.id, w.deleted_at is not null as has_ended, w.disabled_at is not null as is_disabled, w.ended_because
      from webhooks w cross join lateral (
        (select d.id from deliveries d where d.webhook_id = w.id and ${OPEN}
          and (w.deleted_at is not null or w.disabled_at is not null)
          limit ${STEP})
        union all
        (select d.id from deliveries d where d.webhook_id = w.id and d.paused
          and (w.deleted_at is not null or w.disabled_at is null)
          and (w.deleted_at is null or d.status in ('pending', 'processing'))
          limit ${STEP})
      ) d
      where w.id = any(${webhookIds}) limit ${STEP}
    ), adjusted as (
      update deliveries d set paused = f.is_disabled and not f.has_ended,
        status = case when f.has_ended then 'failed' else d.status end,
        claim = case when not f.has_ended then d.claim end,
        last_error = case when f.has_ended then f.ended_because else d.last_error end
      from found f where d.id = any(array(select id from found)) and d.id = f.id
    ), counted as (
      select count(*) = ${STEP} as is_full from found
    )
    update webhooks w set adjusting_at = case when is_full then ${at} end from counted
    where w.id = any(${webhookIds}) and (is_full or w.adjusting_at is not null)`,
});

/**
 * Takes the first step, and marks the webhooks if more may be left. Runs in the transaction that locks the webhooks and changes their
 * state, after the change. An attempt in progress finishes normally, but the outcome for a delivery that has failed with its webhook
 * changes nothing.
 */
export async function adjustDeliveries(em: SqlEntityManager, webhookIds: string[], at: Date): Promise<void> {
  await adjust(em, { webhookIds, at });
}

const findMarked = statement('find a webhook whose deliveries are to be adjusted', {
  result: { found: 'int' },
  sql: () => `select 1 as found from webhooks where adjusting_at is not null limit 1`,
});

// Webhooks take turns. `no key update` blocks no fan-out, and one that somebody changes at the moment takes the step itself.
const lockMarked = statement('lock the webhook whose deliveries are adjusted next', {
  result: { id: 'uuid' },
  sql: () => `
    select id from webhooks where adjusting_at is not null order by adjusting_at, id limit 1
    for no key update skip locked`,
});

/**
 * Takes the next step of one webhook.
 *
 * @returns how many webhooks it was, 0 or 1
 */
export async function adjustMoreDeliveries(context: Context): Promise<number> {
  const [marked] = await findMarked(context.db.queries);
  if (marked === undefined) return 0;
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const [webhook] = await lockMarked(em);
    if (webhook !== undefined) await adjust(em, { webhookIds: [webhook.id], at: context.clock.now() });
    return webhook === undefined ? 0 : 1;
  });
}
