/**
 * Claims stored posts for this process. The claim and the ledger row of the head are one statement, committed before
 * any platform is called (docs/contract/posts.md#interrupted-sends).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { records, statement, unseenByPlanner } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { DECIDED_REWRITE } from '../polish/rewrite-wanted.ts';
import { stopsPostBy } from '../stops/stop-condition.ts';
import { CLAIMED, CLAIMED_TYPES, type ClaimedSend, claimedSend, headAttempt } from './claimed-send.ts';
import { leaseNow } from './send-times.ts';

export interface PostToClaim {
  readonly id: string;
  readonly platformId: string;
  /** The fee for sending it. */
  readonly feeCents: number;
  /** The key, grant or person that sends it now; absent for one that is due. */
  readonly callerId?: string;
}

/** @param also columns that change besides those of every claim, and conditions on `posts p` and `connections c` */
const claimStatement = (name: string, also: { readonly changes?: string; readonly condition?: string }) =>
  statement(name, {
    parameters: {
      input: records({ id: 'uuid', feeCents: 'int', attemptId: 'uuid', token: 'text', callerId: 'uuid?' }),
      from: 'text',
      claim: 'uuid',
      claimedUntil: 'timestamptz',
      now: 'timestamptz',
    },
    result: CLAIMED_TYPES,
    sql: ({ input, from, claim, claimedUntil, now }) => `
      with claimed as (
        update posts p set status = 'processing', claim = ${claim}, claimed_until = ${claimedUntil},
          fee_cents = input."feeCents", tries = p.tries + 1, ai_rewrite_status = ${DECIDED_REWRITE} ${also.changes ?? ''}
        from ${input}, connections c
        where p.id = input.id and p.status = ${unseenByPlanner(from)} and c.id = p.connection_id ${also.condition ?? ''}
        returning ${CLAIMED}, input."attemptId" as attempt_id, input.token
      ), opened as (
        insert into attempts (id, post_id, generation, step, index, state, token, started_at)
        select attempt_id, id, generation, 'head', 0, 'sending', token, ${now} from claimed
      )
      select *, 'head' as step, 0 as index, ${now} as started_at, null::jsonb as prepared from claimed`,
  });

const claimDue = claimStatement('claim due posts', {});

// A post that its owner sends leaves its schedule. A failed one starts its next send, with new ledger rows.
const claimNow = claimStatement('claim drafts and failed posts', {
  changes: `, scheduled_for = null, queued = false, slot_at = null, repeats = 0, first_due_at = null, error_code = null,
          error_message = null, generation = p.generation + (p.status = 'failed')::int`,
  condition: `and c.deleted_at is null
          and not exists (select 1 from stops s where ${stopsPostBy('s', 'p', 'input."callerId"')})`,
});

/**
 * Claims in the caller's transaction.
 *
 * @param from the state of the posts: due ones are scheduled, and their owners send drafts and failed posts
 * @param claim new and random; the caller ends it when the transaction fails (end-claim.ts)
 * @returns the sends of the posts that are still in that state, and of drafts and failed posts those whose
 *   connection is not deleted, and that no stop of the post or of the caller is about
 */
export async function claimPosts(
  context: Context,
  em: SqlEntityManager,
  from: 'scheduled' | 'draft' | 'failed',
  posts: readonly PostToClaim[],
  claim: string,
): Promise<ClaimedSend[]> {
  if (posts.length === 0) return [];
  const now = context.clock.now();
  const lease = leaseNow(context.clock);
  const input = posts.map(({ id, platformId, feeCents, callerId }) => {
    const { id: attemptId, token } = headAttempt(context, platformId, now);
    return { id, feeCents, attemptId, token, callerId };
  });
  const run = from === 'scheduled' ? claimDue : claimNow;
  const rows = await run(em, { input, from, claim, claimedUntil: lease.until, now });
  return rows.map((row) => claimedSend(row, { claim, lease }, false));
}
