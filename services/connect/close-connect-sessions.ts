/** Closes expired connect sessions, and deletes what they stored of a consent in progress. */
import { statement } from '../../entities/statement.ts';
import type { RetentionRule } from '../retention-rule.ts';

/** Most sessions in one step: each changes five indexes. */
const SESSIONS_AT_ONCE = 200;

const closeExpired = statement('close expired connect sessions', {
  parameters: { now: 'timestamptz' },
  result: { closed: 'int' },
  sql: ({ now }) => `
    with closed as (
      update connect_sessions set status = 'expired', flow = null where ctid = any(array(
        select t.ctid from connect_sessions t where t.status = 'pending' and t.expires_at <= ${now}
        order by t.expires_at limit ${SESSIONS_AT_ONCE} for no key update skip locked))
      returning 1
    ) select count(*)::int as closed from closed`,
});

export const closeConnectSessions: RetentionRule = {
  step: async (context) => {
    const [row] = await closeExpired(context.db.em(), { now: context.clock.now() });
    return row?.closed === SESSIONS_AT_ONCE;
  },
};
