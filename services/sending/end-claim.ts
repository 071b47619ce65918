/**
 * Ends claims that this process made and will not use, as soon as the database answers again: a worker then takes the posts
 * over at once, and not at the end of the lease (docs/contract/posts.md#interrupted-sends).
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
