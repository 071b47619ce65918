/** Selects the charged reads of metrics that the accounts can pay for (docs/contract/errors-and-limits.md#plans). */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { column } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { platformsWithFees, readFeeOf } from '../plans/fees.ts';
import { lockAccount, readPlanUsage } from '../plans/plan-usage.ts';
import { LEASE_MS, type ReadClaim } from './claim-reads.ts';
import type { DueRead } from './decide-read.ts';
import { utcDayNumber } from './read-times.ts';

/** More than the clocks of two workers differ. */
const SKEW_MS = 60_000;

// The times bound the search, for the index of reads.
const countReadsInProgress = statement('count the charged reads that other workers have claimed', {
  parameters: {
    accountId: 'uuid',
    platforms: 'text[]',
    own: 'uuid[]',
    now: 'timestamptz',
    lastLease: 'timestamptz',
    day: 'int',
  },
  result: { platform_id: column('posts', 'platform_id'), reads: 'int' },
  sql: ({ accountId, platforms, own, now, lastLease, day }) => `
    select p.platform_id, count(*)::int as reads from posts p
    where p.next_read_at > ${now} and p.next_read_at <= ${lastLease} and p.account_id = ${accountId}
      and p.platform_id = any(${platforms}) and p.id <> all(${own})
      and p.read_lease_until = p.next_read_at
      and not exists (select 1 from charges c where c.subject_id = p.id and c.kind = 'read' and c.number = ${day})
    group by p.platform_id`,
});

/** @returns all free reads, and as many charged reads as fit under each account's cap, the oldest posts first */
export async function affordableReads(
  context: Context,
  claim: ReadClaim,
  reads: readonly DueRead[],
): Promise<Set<DueRead>> {
  const affordable = new Set(reads.filter(({ feeCents }) => feeCents === 0));
  const charged = Map.groupBy(
    reads.filter(({ feeCents }) => feeCents > 0),
    ({ post }) => post.account_id,
  );
  for (const [accountId, wanted] of charged) {
    let left = await centsLeft(context, claim, accountId);
    for (const read of wanted) {
      left -= read.feeCents;
      if (left >= 0) affordable.add(read);
    }
  }
  return affordable;
}

/**
 * What the account can still pay for. A worker claims before it decides, so of two that decide under the lock at least the
 * second one counts the reads of the other.
 */
function centsLeft(context: Context, claim: ReadClaim, accountId: string): Promise<number> {
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    await lockAccount(em, accountId);
    const { hasPaymentMethod, spendCapCents, spentCents } = await readPlanUsage(context, em, accountId);
    if (!hasPaymentMethod) return 0;
    if (spendCapCents === null) return Infinity;
    return spendCapCents - spentCents - (await centsInProgress(context, em, claim, accountId));
  });
}

/** What the reads will cost that other workers have claimed for the account and not settled yet. */
async function centsInProgress(
  context: Context,
  em: SqlEntityManager,
  claim: ReadClaim,
  accountId: string,
): Promise<number> {
  const now = context.clock.now();
  const claimed = await countReadsInProgress(em, {
    accountId,
    platforms: platformsWithFees(context),
    own: claim.posts.map(({ id }) => id),
    now,
    lastLease: new Date(now.getTime() + LEASE_MS + SKEW_MS),
    day: utcDayNumber(now),
  });
  return claimed.reduce((sum, { platform_id: id, reads }) => sum + reads * readFeeOf(context, id), 0);
}
