/** Removes deliveries and events after their retention time (docs/contract/webhooks.md#listing-deliveries). */
import { column } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { earliestId } from '../ids.ts';

/**
 * How long a delivery is kept; for a dead one, counted from its death. A delivery that waits for a disabled webhook is
 * removed then too.
 */
const KEPT_MS = 30 * 86_400_000;

/** Most rows in one statement. */
const AT_ONCE = 1_000;

// Ids sort by time, so the primary key finds the oldest rows.
const removeDeliveries = statement('remove deliveries after their retention time', {
  parameters: { beforeId: 'uuid', before: 'timestamptz' },
  result: { id: column('deliveries', 'id') },
  sql: ({ beforeId, before }) => `
    delete from deliveries where id in (
      select id from deliveries
      where id < ${beforeId} and (status in ('delivered', 'failed') or (status = 'dead' and dead_at < ${before}) or paused)
      order by id limit ${AT_ONCE}) returning id`,
});

const removeEvents = statement('remove events after their retention time', {
  parameters: { beforeId: 'uuid', before: 'timestamptz' },
  result: { id: column('events', 'id') },
  sql: ({ beforeId, before }) => `
    delete from events where id in (
      select id from events where id < ${beforeId} and created_at < ${before} and fanned_out_at is not null
      order by id limit ${AT_ONCE}) returning id`,
});

export async function cleanUpDeliveries(context: Context): Promise<void> {
  const now = context.clock.now();
  await tables(context.db.em())
    .updateTable('webhooks')
    .set({ previous_secret: null, previous_secret_until: null })
    .where('previous_secret_until', '<=', now.toISOString())
    .execute();
  const before = new Date(now.getTime() - KEPT_MS);
  for (const remove of [removeDeliveries, removeEvents]) {
    let removed: readonly unknown[];
    do removed = await remove(context.db.em(), { beforeId: earliestId(before), before });
    while (removed.length === AT_ONCE);
  }
}
