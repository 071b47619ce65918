/**
 * Claims due posts for this process. Rows that another worker is claiming are skipped without waiting. The claim and
 * the ledger row commit together, before any platform is called (docs/contract/posts.md#interrupted-sends). A post that
 * the plan refuses is deferred or failed in the same transaction, with its event.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import {
  type Admission,
  FREE_OF_CHARGE,
  judgePosts,
  rowNeedsAdmission,
  waitsForNextDay,
} from '../plans/admit-posts.ts';
import { PLAN_TERMS, type PlanTermsRow } from '../plans/plan-terms.ts';
import { nextDayStart } from '../plans/plans.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { AWAITS_MODEL, DECIDED_REWRITE } from '../polish/rewrite-wanted.ts';
import { CLAIMED, type ClaimableRow, type ClaimedRow, openSends } from './claimed-row.ts';
import type { ClaimedSend } from './claimed-send.ts';
import {
  type Candidate,
  countInProgress,
  fullShares,
  platformsToFill,
  platformsWithCapacity,
  pickFairly,
} from './concurrency-limits.ts';
import { lateBefore } from './lateness.ts';
import { type Failure, failWaiting, reschedule } from './move-waiting.ts';
import { storedIntent } from './post-intents.ts';
import { leaseFrom } from './send-times.ts';

/** Maximum number of due posts that one scan finds. */
const LOOK_AT_MOST = 1_000;

/** Maximum number of scans of a wide claim. */
const LOOKS = 4;

/** Sorts before every id: a scan that begins here includes all posts of its instant. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface CandidateRow extends PlanTermsRow {
  id: string;
  scheduled_for: string | Date;
  account_id: string;
  connection_id: string;
  platform_id: string;
  paused: boolean;
  awaits_model: boolean;
}

const CANDIDATES = `
  select p.id, p.scheduled_for, p.account_id, p.connection_id, p.platform_id, ${PLAN_TERMS}, p.queued and c.queue_paused as paused,
    $9 and ${AWAITS_MODEL} as awaits_model
  from posts p join connections c on c.id = p.connection_id join accounts a on a.id = p.account_id
  where p.status = 'scheduled' and not p.held and p.scheduled_for <= $1
    and (p.scheduled_for, p.id) > ($2::timestamptz, $7::uuid)
    and p.platform_id = any($3::text[]) and p.connection_id <> all($4::uuid[])
    and (cardinality($5::text[]) = 0 or p.account_id || ' ' || p.platform_id <> all($5::text[]))
    and (cardinality($8::text[]) = 0 or p.platform_id <> all($8::text[]) or not ${AWAITS_MODEL})
    and (c.backoff_until is null or c.backoff_until <= $1)
  order by p.scheduled_for, p.id limit $6`;

// Checks again that the queue is paused, because a queue that was resumed meanwhile has moved its posts itself.
const HOLD = `
  update posts p set held = true from connections c
  where p.id = any($1::uuid[]) and p.status = 'scheduled' and p.queued and p.scheduled_for <= $2
    and c.id = p.connection_id and c.queue_paused`;

const LOCK = `
  select ${CLAIMED}, ${PLAN_TERMS} from posts p join connections c on c.id = p.connection_id join accounts a on a.id = p.account_id
  where p.id = any($1::uuid[]) and p.status = 'scheduled' and not p.held and p.scheduled_for <= $2
  order by p.scheduled_for, p.id for update of p skip locked`;

const CLAIM = `
  with due as (
    select id from posts where id = any($1::uuid[]) and status = 'scheduled' and not held and scheduled_for <= $2
    order by scheduled_for, id for update skip locked
  )
  update posts p set status = 'processing', claim = $3, claimed_until = $4, tries = p.tries + 1,
    ai_rewrite_status = ${DECIDED_REWRITE}
  from due, connections c where p.id = due.id and c.id = p.connection_id
  returning ${CLAIMED}`;

const CLAIM_ADMITTED = `
  update posts p set status = 'processing', claim = $2, claimed_until = $3, fee_cents = i."feeCents",
    tries = p.tries + 1, ai_rewrite_status = ${DECIDED_REWRITE}
  from jsonb_to_recordset($1::jsonb) as i(id uuid, "feeCents" int), connections c
  where p.id = i.id and c.id = p.connection_id
  returning p.id, p.ai_rewrite_status`;

/** The result of one scan for due posts. */
export interface TakenPosts {
  /** Posts to send now. */
  readonly sends: readonly ClaimedSend[];
  /** Number of other posts handled: failed, rescheduled, or held because their queue is paused. */
  readonly moved: number;
}

/** As {@link TakenPosts}, for a scan that may have left due posts behind. */
export interface ClaimedDue extends TakenPosts {
  /** True when more posts were due than the concurrency limits allow, or than the scans covered. */
  readonly moreDue: boolean;
  /** True when other workers were claiming the same rows. */
  readonly contended: boolean;
}

export interface ClaimOptions {
  /**
   * Whether to scan past the backlog of a few accounts or connections to find the posts of others. The cost grows with
   * the length of the backlog, so callers set it only occasionally.
   */
  readonly wide?: boolean;
}

/** Claims due posts up to the concurrency limits, in turns across accounts and connections. */
export async function claimDueSends(context: Context, { wide = true }: ClaimOptions = {}): Promise<ClaimedDue> {
  const now = context.clock.now();
  const due = await look(context, now, wide ? LOOKS : 1);
  const paused = due.filter((row) => row.paused).map(({ id }) => id);
  if (paused.length > 0) await query(context.db.em(), HOLD, [paused, now]);
  const candidates = due.filter((row) => !row.paused).map(candidateOf);
  const picked = pickFairly(context.platforms, candidates, countInProgress(context.sends.inProgress)).map(
    ({ id }) => id,
  );
  const moreDue = picked.length < candidates.length || due.length >= LOOK_AT_MOST;
  if (picked.length === 0) return { sends: [], moved: paused.length, moreDue, contended: false };
  const metered = new Set(due.filter((row) => rowNeedsAdmission(context, row)).map((row) => row.account_id));
  const { sends, moved } = await context.db.em().transactional(async (em: SqlEntityManager) => {
    if (metered.size > 0) return claimMetered(context, em, picked, metered);
    const claim = context.random.uuid();
    const rows = await query<ClaimedRow>(em, CLAIM, [picked, now, claim, leaseFrom(now)]);
    return { sends: await openSends(context, em, rows, claim), moved: 0 };
  });
  const inOrder = sends.toSorted((a, b) => Number(a.post.scheduledFor) - Number(b.post.scheduledFor));
  const contended = sends.length + moved === 0;
  return { sends: inOrder, moved: moved + paused.length, moreDue, contended };
}

/**
 * Finds due posts, the longest due first. Each further scan continues after the previous one and skips accounts and
 * connections that have enough candidates. A backlog therefore does not hide later posts of others.
 */
async function look(context: Context, now: Date, looks: number): Promise<CandidateRow[]> {
  const { platforms, sends } = context;
  const { inProgress } = sends;
  const counts = countInProgress(inProgress);
  const found: CandidateRow[] = [];
  let platformIds = platformsWithCapacity(platforms, counts);
  let behind: Pick<CandidateRow, 'id' | 'scheduled_for'> = { id: FIRST_ID, scheduled_for: lateBefore(now) };
  for (let taken = 0; taken < looks && platformIds.length > 0; taken += 1) {
    const { connections, accounts, models } = fullShares(platforms, [...inProgress, ...found.map(candidateOf)]);
    const from = [now, behind.scheduled_for, platformIds, connections, accounts, LOOK_AT_MOST, behind.id];
    const parameters = [...from, models, context.polisher !== null];
    const rows: CandidateRow[] = await query<CandidateRow>(context.db.em(), CANDIDATES, parameters);
    found.push(...rows);
    if (rows.length < LOOK_AT_MOST) break;
    behind = rows.at(-1) ?? behind;
    platformIds = platformsToFill(platforms, platformIds, found.map(candidateOf), counts);
  }
  return found;
}

function candidateOf(row: CandidateRow): Candidate {
  return {
    id: row.id,
    accountId: row.account_id,
    connectionId: row.connection_id,
    platformId: row.platform_id,
    awaitsModel: row.awaits_model,
  };
}

/** Locks accounts before posts, and always in one order, so that two workers cannot deadlock. */
async function claimMetered(
  context: Context,
  em: SqlEntityManager,
  picked: readonly string[],
  metered: ReadonlySet<string>,
): Promise<TakenPosts> {
  for (const accountId of [...metered].toSorted()) await lockAccount(em, accountId);
  const rows = await query<ClaimableRow>(em, LOCK, [picked, context.clock.now()]);
  return claimAdmitted(context, em, rows);
}

/**
 * Claims locked rows that the plans of their accounts allow. The caller has locked the accounts that need admission.
 */
export async function claimAdmitted(
  context: Context,
  em: SqlEntityManager,
  rows: readonly ClaimableRow[],
): Promise<TakenPosts> {
  const admissions = await admitDue(context, em, rows);
  const admitted: ClaimedRow[] = [];
  const refused: Failure[] = [];
  for (const row of rows) {
    const admission = admissions.get(row.id) ?? FREE_OF_CHARGE;
    if (admission.error === null) admitted.push({ ...row, fee_cents: admission.feeCents });
    else refused.push({ row, error: admission.error });
  }
  await refuse(context, em, refused);
  const moved = rows.length - admitted.length;
  if (admitted.length === 0) return { sends: [], moved };
  const claim = context.random.uuid();
  const claimed = admitted.map((row) => ({ id: row.id, feeCents: row.fee_cents }));
  const parameters = [JSON.stringify(claimed), claim, leaseFrom(context.clock.now())];
  const decided = await query<Pick<ClaimedRow, 'id' | 'ai_rewrite_status'>>(em, CLAIM_ADMITTED, parameters);
  const statuses = new Map(decided.map((row) => [row.id, row.ai_rewrite_status]));
  const begun = admitted.map((row) => ({ ...row, ai_rewrite_status: statuses.get(row.id) ?? null }));
  return { sends: await openSends(context, em, begun, claim), moved };
}

async function admitDue(
  context: Context,
  em: SqlEntityManager,
  rows: readonly ClaimableRow[],
): Promise<Map<string, Admission>> {
  const admissions = new Map<string, Admission>();
  const byAccount = Map.groupBy(
    rows.filter((row) => rowNeedsAdmission(context, row)),
    (row) => row.account_id,
  );
  for (const [accountId, ofAccount] of byAccount) {
    const intents = ofAccount.map((row) => storedIntent(row, true));
    const judged = await judgePosts(context, em, accountId, intents);
    for (const [index, row] of ofAccount.entries()) admissions.set(row.id, judged[index] ?? FREE_OF_CHARGE);
  }
  return admissions;
}

/** Defers posts to the next day when the day's limit is used up; fails them for any other reason. */
async function refuse(context: Context, em: SqlEntityManager, refused: readonly Failure[]): Promise<void> {
  const isDeferred = ({ error }: Failure) => waitsForNextDay(error);
  const time = nextDayStart(context.clock.now());
  const moves = refused.filter(isDeferred).map(({ row }) => ({ row, time, slot: null, reason: 'fair_use' as const }));
  await reschedule(context, em, moves);
  await failWaiting(
    context,
    em,
    refused.filter((one) => !isDeferred(one)),
  );
}
