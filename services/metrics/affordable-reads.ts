/** Selects the charged reads of metrics that the accounts can pay for (docs/contract/errors-and-limits.md#plans). */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Context } from '../context.ts';
import { lockAccount, readPlanUsage } from '../plans/plan-usage.ts';
import { centsOfReadsInProgress } from '../plans/reads-in-progress.ts';
import type { ReadClaim } from './claim-reads.ts';
import type { DueRead } from './decide-read.ts';

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
    const own = claim.posts.map(({ id }) => id);
    return spendCapCents - spentCents - (await centsOfReadsInProgress(context, em, accountId, own));
  });
}
