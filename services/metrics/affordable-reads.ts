/** Selects the charged reads of metrics that the accounts can pay for (docs/contract/errors-and-limits.md#plans). */
import type { Context } from '../context.ts';
import { readPlanUsage } from '../plans/plan-usage.ts';
import type { DueRead } from './decide-read.ts';

/** @returns all free reads, and as many charged reads as fit under each account's cap, the oldest posts first */
export async function affordableReads(context: Context, reads: readonly DueRead[]): Promise<Set<DueRead>> {
  const affordable = new Set(reads.filter(({ feeCents }) => feeCents === 0));
  const charged = Map.groupBy(
    reads.filter(({ feeCents }) => feeCents > 0),
    ({ post }) => post.account_id,
  );
  for (const [accountId, wanted] of charged) {
    const { hasPaymentMethod, spendCapCents, spentCents } = await readPlanUsage(context, context.db.em(), accountId);
    let left = hasPaymentMethod ? (spendCapCents ?? Infinity) - spentCents : 0;
    for (const read of wanted) {
      left -= read.feeCents;
      if (left >= 0) affordable.add(read);
    }
  }
  return affordable;
}
