/** Removes deliveries and events after their retention time (docs/contract/webhooks.md#listing-deliveries). */
import { query } from '../../entities/query.ts';
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
const OLD_DELIVERIES = `
  delete from deliveries where id in (
    select id from deliveries where id < $1 and (status in ('delivered', 'failed') or (status = 'dead' and dead_at < $2) or paused)
    order by id limit ${AT_ONCE}) returning id`;

const OLD_EVENTS = `
  delete from events where id in (
    select id from events where id < $1 and created_at < $2 and fanned_out_at is not null order by id limit ${AT_ONCE}) returning id`;

const OLD_SECRETS = `
  update webhooks set previous_secret = null, previous_secret_until = null where previous_secret_until <= $1`;

export async function tidyDeliveries(context: Context): Promise<void> {
  const now = context.clock.now();
  await query(context.db.em(), OLD_SECRETS, [now]);
  const before = new Date(now.getTime() - KEPT_MS);
  for (const sql of [OLD_DELIVERIES, OLD_EVENTS]) {
    let removed: unknown[];
    do removed = await query(context.db.em(), sql, [earliestId(before), before]);
    while (removed.length === AT_ONCE);
  }
}
