/** Releases webhook leases. */
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import type { WebhookLease } from './claim-webhook-leases.ts';

// Locks webhooks before their deliveries, as the claims do, and leaves out one that another transaction has locked. Deliveries that
// were paused during an attempt have another index, and without an index all of the webhook would be read. With the lease goes what
// is `processing` under other claims: processes that died have left it. One whose row is gone, after a restore or a failover, has
// no lease any more.
const releaseLeases = statement('release the leases of webhooks', {
  parameters: { webhookIds: 'uuid[]', claims: 'uuid[]' },
  result: { is_released: 'boolean' },
  sql: ({ webhookIds, claims }) => `
    with input as (
      select * from unnest(${webhookIds}, ${claims}) with ordinality as i(webhook_id, claim, position)
    ), locked as materialized (
      select w.id, w.lease from webhooks w where w.id = any(${webhookIds}) order by w.id for no key update skip locked
    ), back as (
      update deliveries d set status = 'pending', claim = null from input i join locked l on l.id = i.webhook_id
      where d.webhook_id = i.webhook_id and i.claim in (d.claim, l.lease) and d.status = 'processing' and not d.paused
    ), back_paused as (
      update deliveries d set status = 'pending', claim = null from input i join locked l on l.id = i.webhook_id
      where d.webhook_id = i.webhook_id and d.claim = i.claim and d.status = 'processing' and d.paused
    ), released as (
      update webhooks w set lease = null, lease_until = null from input i join locked l on l.id = i.webhook_id
      where w.id = i.webhook_id and w.lease = i.claim
    )
    select l.id is not null or not exists (select from webhooks w where w.id = i.webhook_id) as is_released
    from input i left join locked l on l.id = i.webhook_id order by i.position`,
});

/**
 * Releases webhook leases; what was claimed under them and not attempted becomes pending again.
 *
 * @returns for each lease, in order, true, also when the row of its webhook is gone; null for one that is not released, because
 *   another transaction has locked its webhook
 */
export async function releaseWebhookLeases(
  context: Context,
  leases: readonly WebhookLease[],
): Promise<(true | null)[]> {
  const input = { webhookIds: leases.map(({ webhookId }) => webhookId), claims: leases.map(({ claim }) => claim) };
  const rows = await releaseLeases(context.db.em(), input);
  return rows.map((row) => (row.is_released ? true : null));
}

/** For a process that has the database to itself: every lease still held belongs to a process that died. */
export async function releaseAllWebhookLeases(context: Context): Promise<void> {
  await tables(context.db.queries)
    .updateTable('webhooks')
    .set({ lease: null, lease_until: null })
    .where('lease_until', 'is not', null)
    .execute();
}
