/** When the next scheduled post can be sent. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';

// Posts of a connection in backoff are due when the backoff ends.
const NEXT = `
  select least(
    (select p.scheduled_for from posts p
     where p.status = 'scheduled' and not p.held
       and not exists (select 1 from connections c where c.id = p.connection_id and c.backoff_until > $1)
     order by p.scheduled_for limit 1),
    (select min(greatest(c.backoff_until, w.scheduled_for)) from connections c
     cross join lateral (select p.scheduled_for from posts p
       where p.connection_id = c.id and p.status = 'scheduled' and not p.held order by p.scheduled_for limit 1) w
     where c.backoff_until > $1)
  ) as due`;

/** Null when no post waits. Posts in a paused queue do not count. */
export async function nextDueAt(context: Context): Promise<Date | null> {
  const [row] = await query<{ due: string | null }>(context.db.em(), NEXT, [context.clock.now()]);
  return row?.due == null ? null : new Date(row.due);
}
