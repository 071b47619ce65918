/** Removes registered clients that no one agreed to. */
import { statement } from '../../entities/statement.ts';
import type { RetentionRule } from '../retention-rule.ts';

/** Most clients in one step: one that is kept changes three indexes. */
const CLIENTS_AT_ONCE = 200;

/** When a client that a grant names is looked at again. */
const LOOK_AGAIN_MS = 86_400_000;

// The end of a client that is in use is moved on, so that the next step does not find it again. The row decides whether
// a client exists, and not its end.
const removeClients = statement('remove clients that no one agreed to', {
  parameters: { now: 'timestamptz', again: 'timestamptz' },
  result: { clients: 'int' },
  sql: ({ now, again }) => `
    with due as materialized (
      select a.ctid as place, exists (select 1 from oauth_grants g where g.client_id = a.payload->>'client_id') as is_used
      from oauth_artifacts a where a.kind = 'Client' and a.expires_at <= ${now}
      order by a.expires_at limit ${CLIENTS_AT_ONCE} for update skip locked
    ), removed as (
      delete from oauth_artifacts where ctid = any(array(select place from due where not is_used))
    ), kept as (
      update oauth_artifacts set expires_at = ${again} where ctid = any(array(select place from due where is_used))
    )
    select count(*)::int as clients from due`,
});

export const removeUnusedClients: RetentionRule = {
  step: async (context) => {
    const now = context.clock.now();
    const [row] = await removeClients(context.db.em(), { now, again: new Date(now.getTime() + LOOK_AGAIN_MS) });
    return row?.clients === CLIENTS_AT_ONCE;
  },
};
