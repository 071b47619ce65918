/**
 * Claims posts that are held after a restore, to look them up: nothing is sent. The ledger says from the start that the
 * outcome is unknown, so a process that dies before the lookup leaves a post that is not sent again.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { records, statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { heldPostIds } from './held-posts.ts';
import type { WithRestoreWatch } from '../restores/restore-watch.ts';
import { CLAIMED, CLAIMED_TYPES, type ClaimedSend, claimedSend } from './claimed-send.ts';
import { leaseFrom, leaseNow } from './send-times.ts';

const MESSAGE =
  'A backup was restored that may be older than the send of this post: look on the platform before sending it again.';

const lockHeld = statement('lock posts that are held after a restore', {
  parameters: { heldUntil: 'timestamptz', heldClaims: 'timestamptz', limit: 'int' },
  result: { id: 'uuid' },
  sql: ({ limit, ...held }) => `
    select id from posts where id in (${heldPostIds(held)}) order by id limit ${limit} for update skip locked`,
});

// A send that was open in the backup keeps its row. A scheduled post gets one, as if its send began when it was due.
const claimHeld = statement('claim posts that are held after a restore', {
  parameters: {
    input: records({ id: 'uuid', attemptId: 'uuid' }),
    claim: 'uuid',
    claimedUntil: 'timestamptz',
    now: 'timestamptz',
    message: 'text',
  },
  result: { ...CLAIMED_TYPES, new_attempt_id: 'uuid', was: 'text' },
  sql: ({ input, claim, claimedUntil, now, message }) => `
    with claimed as (
      update posts p set status = 'processing', claim = ${claim}, claimed_until = ${claimedUntil}, held = false,
        tries = p.tries + (was.status = 'scheduled')::int
      from ${input}, posts was, connections c
      where p.id = input.id and was.id = p.id and c.id = p.connection_id
      returning ${CLAIMED}, input."attemptId" as new_attempt_id, was.status as was
    ), opened as (
      insert into attempts (id, post_id, generation, step, index, state, token, started_at, settled_at, error_code, error_message)
      select new_attempt_id, id, generation, 'head', 0, 'unknown', new_attempt_id::text, scheduled_for, ${now},
        'outcome_unknown', ${message}
      from claimed where was = 'scheduled'
      returning id, post_id, step, index, token, started_at, prepared
    ), closed as (
      update attempts a set state = 'unknown', settled_at = ${now}, error_code = 'outcome_unknown',
        error_message = ${message}
      from claimed where a.post_id = claimed.id and a.generation = claimed.generation and a.state = 'sending'
        and a.step <> 'delete'
      returning a.id, a.post_id, a.step, a.index, a.token, a.started_at, a.prepared
    ), unknown as (select * from opened union all select * from closed)
    select claimed.*, a.id as attempt_id, a.step, a.index, a.token, a.started_at, a.prepared
    from claimed left join unknown a on a.post_id = claimed.id`,
});

export async function claimHeldSends(context: Context & WithRestoreWatch, limit: number): Promise<ClaimedSend[]> {
  const now = context.clock.now();
  const lease = leaseNow(context.clock);
  const claim = context.random.uuid();
  const rows = await context.db.em().transactional(async (em: SqlEntityManager) => {
    const heldUntil = await context.restores.confirm(em);
    const held = await lockHeld(em, { heldUntil, heldClaims: leaseFrom(heldUntil), limit });
    const input = held.map(({ id }) => ({ id, attemptId: context.random.uuid() }));
    return claimHeld(em, { input, claim, claimedUntil: lease.until, now, message: MESSAGE });
  });
  return rows.map((row) => {
    const { attempt, ...send } = claimedSend(row, { claim, lease }, true);
    return { ...send, attempt: null, lookedUp: attempt };
  });
}
