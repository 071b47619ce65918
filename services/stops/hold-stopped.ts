/**
 * Holds due posts that a stop is about. A stop holds what waits when it begins; a post that was stored at that very moment is
 * found here, before it is claimed.
 */
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { stopsPost } from './stop-condition.ts';

const findActive = statement('find an active stop', {
  result: { id: 'uuid' },
  sql: () => 'select id from stops where released_at is null limit 1',
});

// The lateral query keeps the planner from reading all posts for the few stops. The stops are locked: one that is released
// while this waits for a post would hold that post for ever. Posts are locked in the order of their ids, as everywhere.
const holdDue = statement('hold due posts of stops', {
  parameters: { now: 'timestamptz' },
  sql: ({ now }) => `
    with due as materialized (
      select d.id, s.id as stop_id from stops s cross join lateral (
        select w.id from posts w
        where w.account_id = s.account_id and w.status = 'scheduled' and not w.held and w.scheduled_for <= ${now}
          and ${stopsPost('s', 'w')} offset 0
      ) d where s.released_at is null for share of s
    ), locked as materialized (
      select p.id from posts p where p.id in (select id from due) order by p.id for no key update of p
    )
    update posts p set held = true, stop_id = d.stop_id from due d join locked l on l.id = d.id
    where p.id = d.id and p.status = 'scheduled'`,
});

export async function holdStopped({ db, clock }: Context): Promise<void> {
  const active = await findActive(db.queries);
  if (active.length > 0) await holdDue(db.queries, { now: clock.now() });
}
