/**
 * Claims interrupted sends: started but never settled, because their process died or lost its claim
 * (docs/contract/posts.md#interrupted-sends).
 */
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { CLAIMED, CLAIMED_TYPES, type ClaimedSend, claimedSend } from './claimed-send.ts';
import { leaseFrom } from './send-times.ts';

// The row of the ledger is missing when the earlier process ended between two parts.
const claimInterrupted = statement('claim interrupted sends', {
  parameters: { now: 'timestamptz', limit: 'int', claim: 'uuid', claimedUntil: 'timestamptz', evenLeased: 'boolean' },
  result: CLAIMED_TYPES,
  sql: ({ now, limit, claim, claimedUntil, evenLeased }) => `
    with lost as (
      select id from posts where status = 'processing' and (${evenLeased} or claimed_until <= ${now})
      order by claimed_until limit ${limit} for update skip locked
    ), claimed as (
      update posts p set claim = ${claim}, claimed_until = ${claimedUntil}
      from lost, connections c
      where p.id = lost.id and c.id = p.connection_id
      returning ${CLAIMED}
    )
    select claimed.*, a.id as attempt_id, a.step, a.index, a.token, a.started_at, a.prepared
    from claimed left join attempts a
      on a.post_id = claimed.id and a.generation = claimed.generation and a.state = 'sending' and a.step <> 'delete'`,
});

/**
 * @param evenLeased true at the start of the embedded database's only process, when no other process can be sending and
 *   leases can be ignored
 */
export async function claimInterruptedSends(
  context: Context,
  limit: number,
  evenLeased = false,
): Promise<ClaimedSend[]> {
  const now = context.clock.now();
  const claim = context.random.uuid();
  const values = { now, limit, claim, claimedUntil: leaseFrom(now), evenLeased };
  const rows = await claimInterrupted(context.db.em(), values);
  return rows.map((row) => claimedSend(row, claim, true));
}
