/**
 * Claims interrupted sends: started but never settled, because their process died or lost its claim
 * (docs/contract/posts.md#interrupted-sends).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import type { WithRestoreWatch } from '../restores/restore-watch.ts';
import { CLAIMED, CLAIMED_TYPES, type ClaimedSend, claimedSend } from './claimed-send.ts';
import { claiming } from './end-claim.ts';
import type { WithSender } from './post-sender.ts';
import { leaseFrom, leaseNow } from './send-times.ts';

// The row of the ledger is missing when the earlier process ended between two parts.
const claimInterrupted = statement('claim interrupted sends', {
  parameters: {
    now: 'timestamptz',
    heldClaims: 'timestamptz',
    limit: 'int',
    claim: 'uuid',
    claimedUntil: 'timestamptz',
    evenLeased: 'boolean',
    ownIds: 'uuid[]',
  },
  result: CLAIMED_TYPES,
  sql: ({ now, heldClaims, limit, claim, claimedUntil, evenLeased, ownIds }) => `
    with lost as (
      select id from posts where status = 'processing' and (${evenLeased} or claimed_until <= ${now})
        and claimed_until > ${heldClaims} and id <> all(${ownIds})
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
 * Leaves the sends that are held after a restore: those that were claimed before it was noticed. Leaves the sends that
 * this process still has in progress, too: their leases seem to have expired when the machine's clock is set forward.
 *
 * @param evenLeased true at the start of the embedded database's only process, when no other process can be sending and
 *   leases can be ignored
 */
export async function claimInterruptedSends(
  context: Context & WithSender & WithRestoreWatch,
  limit: number,
  evenLeased = false,
): Promise<ClaimedSend[]> {
  await context.restores.check();
  const now = context.clock.now();
  const lease = leaseNow(context.clock);
  const claim = context.random.uuid();
  const ownIds = context.sends.inProgress.map(({ id }) => id);
  const claimLost = async (em: SqlEntityManager) => {
    const heldClaims = leaseFrom(await context.restores.confirm(em));
    return claimInterrupted(em, { now, heldClaims, limit, claim, claimedUntil: lease.until, evenLeased, ownIds });
  };
  const rows = await claiming(context, claim, () => context.db.em().transactional(claimLost));
  return rows.map((row) => claimedSend(row, { claim, lease }, true));
}
