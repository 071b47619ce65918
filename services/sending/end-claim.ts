/**
 * Ends claims that this process made and will not use, as soon as the database answers again: a worker then takes the posts
 * over at once, and not at the end of the lease (docs/contract/posts.md#interrupted-sends). Scheduled posts under which
 * nothing was sent wait again, because a recovery could not know that no platform was called.
 */
import { isDatabaseAway } from '../../entities/database-away.ts';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { untilDatabaseAnswers } from '../until-database-answers.ts';
import { SEND_TIMES } from './send-times.ts';

const endLease = statement('end a claim on posts', {
  parameters: { claim: 'uuid', postId: 'uuid?', now: 'timestamptz' },
  sql: ({ claim, postId, now }) => `
    update posts set claimed_until = ${now}
    where status = 'processing' and claim = ${claim} and id = coalesce(${postId}, id) and claimed_until > ${now}`,
});

// Locks the connections: deleting one cancels its waiting posts, and would miss one that waits again later. A stop that
// was declared meanwhile holds the posts.
const undoClaim = statement('undo a claim on scheduled posts', {
  parameters: { claim: 'uuid' },
  sql: ({ claim }) => `
    with kept as (
      select c.id from connections c where c.deleted_at is null
        and c.id in (select p.connection_id from posts p where p.status = 'processing' and p.claim = ${claim})
      order by c.id for no key update
    ), undone as (
      update posts p set status = 'scheduled', claim = null, claimed_until = null, tries = p.tries - 1,
        ai_rewrite_status = nullif(p.ai_rewrite_status, 'pending'), held = p.stop_id is not null
      where p.status = 'processing' and p.claim = ${claim} and p.connection_id in (select id from kept)
      returning p.id, p.generation
    )
    delete from attempts a using undone u
    where a.post_id = u.id and a.generation = u.generation and a.step = 'head' and a.state = 'sending'`,
});

/**
 * Runs work that makes a claim. When the database goes away during the commit, the claim may exist although the work
 * failed.
 *
 * @param work nothing may be sent under the claim before it ends
 */
export async function claiming<Result>(context: Context, claim: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    endClaimAfter(context, error, { claim, postId: null });
    throw error;
  }
}

/** As {@link claiming}, for work that claims only posts that were scheduled, and opens their first ledger row. */
export async function claimingScheduled<Result>(
  context: Context,
  claim: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const undo = () => undoClaim(context.db.em(), { claim });
    if (isDatabaseAway(error)) {
      const undone = untilDatabaseAnswers(context, SEND_TIMES.leaseMs, undo);
      // What is left, for a connection that was deleted, is recovered.
      undone.finally(() => endClaimAfter(context, error, { claim, postId: null })).catch(() => undefined);
    }
    throw error;
  }
}

/**
 * Ends the claim if the database went away; any other failure keeps it until the end of its lease, so that a failure that
 * lasts is not repeated at once.
 */
export function endClaimAfter(
  context: Context,
  error: unknown,
  ended: { readonly claim: string; readonly postId: string | null },
): void {
  if (!isDatabaseAway(error)) return;
  const end = () => endLease(context.db.em(), { ...ended, now: context.clock.now() });
  // Without success the lease ends at its time.
  untilDatabaseAnswers(context, SEND_TIMES.leaseMs, end).catch(() => undefined);
}
