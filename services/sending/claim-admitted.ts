/**
 * Claims due posts that the plans of their accounts admit. A post that its plan refuses is deferred or failed in the
 * same transaction, with its event.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Context } from '../context.ts';
import {
  type Admission,
  FREE_OF_CHARGE,
  checkAdmissions,
  rowNeedsAdmission,
  storedIntent,
  waitsForNextDay,
} from '../plans/admit-posts.ts';
import { nextDayStart } from '../plans/plans.ts';
import { type DueRow, type Failure, failWaiting, reschedule } from '../scheduling/move-waiting.ts';
import { claimPosts, type PostToClaim } from './claim-posts.ts';
import type { ClaimedSend } from './claimed-send.ts';

/** The result of one scan for due posts. */
export interface TakenPosts {
  /** Posts to send now. */
  readonly sends: readonly ClaimedSend[];
  /** Number of other posts handled: failed, rescheduled, or held because their queue is paused. */
  readonly moved: number;
}

/** @param rows locked, as are the accounts of the rows that need admission */
export async function claimAdmitted(
  context: Context,
  em: SqlEntityManager,
  rows: readonly DueRow[],
  claim: string,
): Promise<TakenPosts> {
  // A post that the limit of one day refuses waits for the day after that one, also when midnight passes meanwhile.
  const now = context.clock.now();
  const admissions = await admitDue(context, em, rows, now);
  const admitted: PostToClaim[] = [];
  const refused: Failure[] = [];
  for (const row of rows) {
    const admission = admissions.get(row.id) ?? FREE_OF_CHARGE;
    if (admission.error !== null) refused.push({ row, error: admission.error });
    else admitted.push({ id: row.id, platformId: row.platform_id, feeCents: admission.feeCents });
  }
  await refuse(context, em, refused, now);
  return { sends: await claimPosts(context, em, 'scheduled', admitted, claim), moved: refused.length };
}

/** The admissions of the posts that need one, by the id of the post. */
async function admitDue(
  context: Context,
  em: SqlEntityManager,
  rows: readonly DueRow[],
  now: Date,
): Promise<Map<string, Admission>> {
  const metered = rows.filter((row) => rowNeedsAdmission(context, row));
  const admissions = new Map<string, Admission>();
  for (const [accountId, posts] of Map.groupBy(metered, (row) => row.account_id)) {
    const intents = posts.map((post) => storedIntent(post, true));
    const checked = await checkAdmissions(context, em, accountId, intents, now);
    for (const [index, { id }] of posts.entries()) admissions.set(id, checked[index] ?? FREE_OF_CHARGE);
  }
  return admissions;
}

/** Defers posts to the next day when the day's limit is used up; fails them for any other reason. */
async function refuse(context: Context, em: SqlEntityManager, refused: readonly Failure[], now: Date): Promise<void> {
  const time = nextDayStart(now);
  const { deferred = [], failed = [] } = Object.groupBy(refused, ({ error }) =>
    waitsForNextDay(error) ? 'deferred' : 'failed',
  );
  const moves = deferred.map(({ row }) => ({ row, time, slot: null, reason: 'fair_use' as const }));
  await reschedule(context, em, moves);
  await failWaiting(context, em, failed);
}
