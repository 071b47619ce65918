/** Finds what the charged reads of metrics will cost that workers have claimed and not settled yet. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { column } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { platformsWithFees, readFeeOf } from './fees.ts';
import { utcDayNumber } from './plans.ts';

/** How long a claim of reads lasts: longer than a worker needs to ask a platform for all claimed posts. */
export const READ_LEASE_MS = 15 * 60_000;

/** More than the clocks of two workers differ. */
const SKEW_MS = 60_000;

// The times bound the search, for the index of reads.
const countReadsInProgress = statement('count the charged reads that workers have claimed', {
  parameters: {
    accountId: 'uuid',
    platforms: 'text[]',
    others: 'uuid[]',
    now: 'timestamptz',
    lastLease: 'timestamptz',
    day: 'int',
  },
  result: { platform_id: column('posts', 'platform_id'), reads: 'int' },
  sql: ({ accountId, platforms, others, now, lastLease, day }) => `
    select p.platform_id, count(*)::int as reads from posts p
    where p.next_read_at > ${now} and p.next_read_at <= ${lastLease} and p.account_id = ${accountId}
      and p.platform_id = any(${platforms}) and p.id <> all(${others})
      and p.read_lease_until = p.next_read_at
      and exists (select 1 from accounts a where a.id = p.account_id and a.x_analytics)
      and not exists (select 1 from charges c where c.subject_id = p.id and c.kind = 'read' and c.number = ${day})
    group by p.platform_id`,
});

/**
 * Call it while the account is locked.
 *
 * @param others ids of posts whose reads are not counted
 * @returns cents
 */
export async function centsOfReadsInProgress(
  context: Context,
  em: SqlEntityManager,
  accountId: string,
  others: string[],
): Promise<number> {
  const now = context.clock.now();
  const claimed = await countReadsInProgress(em, {
    accountId,
    platforms: platformsWithFees(context),
    others,
    now,
    lastLease: new Date(now.getTime() + READ_LEASE_MS + SKEW_MS),
    day: utcDayNumber(now),
  });
  return claimed.reduce((sum, { platform_id: id, reads }) => sum + reads * readFeeOf(context, id), 0);
}
