/**
 * Claims interrupted sends: started but never settled, because their process died or lost its claim
 * (docs/contract/posts.md#interrupted-sends).
 */
import { query } from '../../entities/query.ts';
import type { Json, PartStep } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { CLAIMED, claimedSend, type ClaimedRow } from './claimed-row.ts';
import type { ClaimedSend } from './claimed-send.ts';
import { leaseFrom } from './send-times.ts';

interface InterruptedRow extends ClaimedRow {
  /** Null when the earlier process ended between two parts. */
  attempt_id: string | null;
  step: PartStep;
  index: number;
  token: string;
  started_at: string;
  prepared: Json | null;
}

const CLAIM_INTERRUPTED = `
  with lost as (
    select id from posts where status = 'processing' and ($5 or claimed_until <= $1)
    order by claimed_until limit $2 for update skip locked
  ), claimed as (
    update posts p set claim = $3, claimed_until = $4
    from lost, connections c
    where p.id = lost.id and c.id = p.connection_id
    returning ${CLAIMED}
  )
  select claimed.*, a.id as attempt_id, a.step, a.index, a.token, a.started_at, a.prepared
  from claimed left join attempts a
    on a.post_id = claimed.id and a.generation = claimed.generation and a.state = 'sending' and a.step <> 'delete'`;

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
  const parameters = [now, limit, claim, leaseFrom(now), evenLeased];
  const rows = await query<InterruptedRow>(context.db.em(), CLAIM_INTERRUPTED, parameters);
  return rows.map((row) => {
    const { attempt_id: id, step, index, token, started_at: startedAt, prepared } = row;
    const attempt = id === null ? null : { id, step, index, token, startedAt: new Date(startedAt), prepared };
    return claimedSend(row, claim, attempt, true);
  });
}
