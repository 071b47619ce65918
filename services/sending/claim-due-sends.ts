/**
 * Claims due posts for this process, in turns across accounts and connections. Rows that another worker is claiming are
 * skipped without waiting.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { columns } from '../../entities/column-lists.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import type { WithRestoreWatch } from '../restores/restore-watch.ts';
import { rowNeedsAdmission } from '../plans/admit-posts.ts';
import { PLAN_TERMS } from '../plans/plan-terms.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { AWAITS_MODEL } from '../polish/rewrite-wanted.ts';
import {
  type Candidate,
  countInProgress,
  fullShares,
  pickFairly,
  platformsToFill,
  platformsWithCapacity,
} from '../scheduling/concurrency-limits.ts';
import { lateBefore } from '../scheduling/lateness.ts';
import { DUE, DUE_TYPES, type DueRow } from '../scheduling/move-waiting.ts';
import { holdStopped } from '../stops/hold-stopped.ts';
import type { WithSender } from './post-sender.ts';
import { dateOrNull } from '../timestamp.ts';
import { claimAdmitted, type TakenPosts } from './claim-admitted.ts';
import { claimingScheduled } from './end-claim.ts';

/** Maximum number of due posts that one scan finds. */
const DUE_MAX = 1_000;

/** Maximum number of scans of a wide claim. */
const SCANS_MAX = 4;

/** How often a claim picks again in place of posts that other workers have taken. */
const PICKS_MAX = 5;

/** Sorts before every id: a scan that begins here includes all posts of its instant. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Sorts after every id. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The place of a post in the order in which posts fall due. */
interface Place {
  readonly id: string;
  readonly scheduledFor: Date | string;
}

const findCandidates = statement('find due posts', {
  parameters: {
    now: 'timestamptz',
    after: 'timestamptz',
    platformIds: 'text[]',
    fullConnections: 'uuid[]',
    fullAccounts: 'text[]',
    limit: 'int',
    afterId: 'uuid',
    fullModels: 'text[]',
    hasModel: 'boolean',
  },
  result: {
    ...columns('posts', ['id', 'scheduled_for', 'account_id', 'connection_id', 'platform_id']).types,
    ...PLAN_TERMS.types,
    paused: 'boolean',
    awaits_model: 'boolean',
  },
  sql: (given) => `
    select p.id, p.scheduled_for, p.account_id, p.connection_id, p.platform_id, ${PLAN_TERMS.sql},
      p.queued and c.queue_paused as paused, ${given.hasModel} and ${AWAITS_MODEL} as awaits_model
    from posts p join connections c on c.id = p.connection_id join accounts a on a.id = p.account_id
    where p.status = 'scheduled' and not p.held and p.scheduled_for <= ${given.now}
      and (p.scheduled_for, p.id) > (${given.after}, ${given.afterId})
      and p.platform_id = any(${given.platformIds}) and p.connection_id <> all(${given.fullConnections})
      and (cardinality(${given.fullAccounts}) = 0
        or p.account_id || ' ' || p.platform_id <> all(${given.fullAccounts}))
      and (cardinality(${given.fullModels}) = 0 or p.platform_id <> all(${given.fullModels}) or not ${AWAITS_MODEL})
      and (c.backoff_until is null or c.backoff_until <= ${given.now})
    order by p.scheduled_for, p.id limit ${given.limit}`,
});

type CandidateRow = RowOf<typeof findCandidates>;

// A resume locks its connection and then looks for held posts. The lock makes this statement and a resume follow each other, and
// reads again whether the queue is paused. It takes only what no one else has locked, because a claim waits for no queue: the
// next round looks at the rest.
const holdPosts = statement('hold due posts of paused queues', {
  parameters: { ids: 'uuid[]', now: 'timestamptz' },
  result: { id: 'uuid' },
  sql: ({ ids, now }) => `
    with due as (
      select p.id from posts p join connections c on c.id = p.connection_id
      where p.id = any(${ids}) and p.status = 'scheduled' and p.queued and not p.held and p.scheduled_for <= ${now}
        and c.queue_paused
      for key share of c skip locked for no key update of p skip locked
    )
    update posts p set held = true from due d where p.id = d.id returning p.id`,
});

// A claim may have waited for the lock of an account, so it looks again whether the queue is paused.
const lockDuePosts = statement('lock due posts', {
  parameters: { ids: 'uuid[]', now: 'timestamptz', heldUntil: 'timestamptz' },
  result: DUE_TYPES,
  sql: ({ ids, now, heldUntil }) => `
    select ${DUE} from posts p join accounts a on a.id = p.account_id join connections c on c.id = p.connection_id
    where p.id = any(${ids}) and p.status = 'scheduled' and not p.held and p.scheduled_for <= ${now}
      and p.scheduled_for > ${heldUntil} and not (p.queued and c.queue_paused)
    order by p.scheduled_for, p.id for update of p skip locked`,
});

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
export async function claimDueSends(
  context: Context & WithSender & WithRestoreWatch,
  { wide = true }: ClaimOptions = {},
): Promise<ClaimedDue> {
  const { heldUntil } = await context.restores.check();
  await holdStopped(context);
  const now = context.clock.now();
  const due = await findDue(context, now, firstPlace(now, heldUntil), wide ? SCANS_MAX : 1);
  const held = await holdPaused(context, due, now);
  const candidates = due.filter((row) => !row.paused).map(candidateOf);
  const picked = pick(context, candidates);
  const moreDue = picked.length < candidates.length || due.length >= DUE_MAX;
  if (picked.length === 0) return { sends: [], moved: held, moreDue, contended: false };
  const metered = new Set(due.filter((row) => rowNeedsAdmission(context, row)).map((row) => row.account_id));
  const claim = context.random.uuid();
  const claimPicked = async (em: SqlEntityManager) => {
    const confirmed = await context.restores.confirm(em);
    // Accounts before posts, and always in one order, so that two workers cannot deadlock.
    for (const accountId of [...metered].toSorted()) await lockAccount(em, accountId);
    const locked = await lockPicked(context, em, { candidates, picked, now, heldUntil: confirmed });
    return claimAdmitted(context, em, locked, claim);
  };
  const { sends, moved } = await claimingScheduled(context, claim, () => context.db.em().transactional(claimPicked));
  const inOrder = sends.toSorted((a, b) => Number(a.post.scheduledFor) - Number(b.post.scheduledFor));
  const contended = sends.length + moved === 0;
  return { sends: inOrder, moved: moved + held, moreDue, contended };
}

/** @returns number of posts that are held now */
async function holdPaused({ db }: Context, due: readonly CandidateRow[], now: Date): Promise<number> {
  const ids = due.filter((row) => row.paused).map(({ id }) => id);
  return ids.length === 0 ? 0 : (await holdPosts(db.queries, { ids, now })).length;
}

function pick(
  { platforms, sends }: Context & WithSender,
  candidates: readonly Candidate[],
  locked: readonly Candidate[] = [],
): Candidate[] {
  return pickFairly(platforms, candidates, countInProgress([...sends.inProgress, ...locked]));
}

interface Picked {
  readonly candidates: readonly Candidate[];
  /** The first of them to lock. */
  readonly picked: readonly Candidate[];
  readonly now: Date;
  readonly heldUntil: Date;
}

/**
 * Locks the picked posts and, in place of those that another worker has taken meanwhile, the next candidates: workers that
 * look at the same time pick the same posts.
 */
async function lockPicked(
  context: Context & WithSender,
  em: SqlEntityManager,
  { candidates, picked: first, now, heldUntil }: Picked,
): Promise<DueRow[]> {
  const rows: DueRow[] = [];
  const locked: Candidate[] = [];
  let left = candidates;
  let picked = first;
  for (let turn = 0; turn < PICKS_MAX && picked.length > 0; turn += 1) {
    const found = await lockDuePosts(em, { ids: picked.map(({ id }) => id), now, heldUntil });
    rows.push(...found);
    if (found.length === picked.length) break;
    const ids = new Set(found.map(({ id }) => id));
    locked.push(...picked.filter(({ id }) => ids.has(id)));
    const asked = new Set(picked);
    left = left.filter((candidate) => !asked.has(candidate));
    picked = pick(context, left, locked);
  }
  return rows;
}

/**
 * Finds due posts, the longest due first. Each further scan continues after the previous one and skips accounts and
 * connections that have enough candidates. A backlog therefore does not hide later posts of others.
 */
async function findDue(context: Context & WithSender, now: Date, after: Place, scans: number): Promise<CandidateRow[]> {
  const { platforms, sends } = context;
  const { inProgress } = sends;
  const counts = countInProgress(inProgress);
  const found: CandidateRow[] = [];
  let platformIds = platformsWithCapacity(platforms, counts);
  let last = after;
  for (let scan = 0; scan < scans && platformIds.length > 0; scan += 1) {
    const { connections, accounts, models } = fullShares(platforms, [...inProgress, ...found.map(candidateOf)]);
    const rows: CandidateRow[] = await findCandidates(context.db.queries, {
      now,
      after: last.scheduledFor,
      platformIds,
      fullConnections: connections,
      fullAccounts: accounts,
      limit: DUE_MAX,
      afterId: last.id,
      fullModels: models,
      hasModel: context.polisher !== null,
    });
    found.push(...rows);
    if (rows.length < DUE_MAX) break;
    const behind = rows.at(-1);
    if (behind?.scheduled_for != null) last = { id: behind.id, scheduledFor: behind.scheduled_for };
    platformIds = platformsToFill(platforms, platformIds, found.map(candidateOf), counts);
  }
  return found;
}

/** Late posts are settled elsewhere, and posts that were due by `heldUntil` are held. */
function firstPlace(now: Date, heldUntil: Date): Place {
  const late = lateBefore(now);
  return late > heldUntil ? { id: FIRST_ID, scheduledFor: late } : { id: LAST_ID, scheduledFor: heldUntil };
}

function candidateOf(row: CandidateRow): Candidate {
  return {
    id: row.id,
    accountId: row.account_id,
    connectionId: row.connection_id,
    platformId: row.platform_id,
    awaitsModel: row.awaits_model,
    isImmediate: false,
  };
}

// Posts of a connection in backoff are due when the backoff ends.
const findNextDue = statement('find when the next post is due', {
  parameters: { now: 'timestamptz', heldUntil: 'timestamptz' },
  result: { due: 'timestamptz?' },
  sql: ({ now, heldUntil }) => `
    select least(
      (select p.scheduled_for from posts p
       where p.status = 'scheduled' and not p.held and p.scheduled_for > ${heldUntil}
         and not exists (select 1 from connections c where c.id = p.connection_id and c.backoff_until > ${now})
       order by p.scheduled_for limit 1),
      (select min(greatest(c.backoff_until, w.scheduled_for)) from connections c
       cross join lateral (select p.scheduled_for from posts p
         where p.connection_id = c.id and p.status = 'scheduled' and not p.held and p.scheduled_for > ${heldUntil}
         order by p.scheduled_for limit 1) w
       where c.backoff_until > ${now})
    ) as due`,
});

/**
 * When the next scheduled post can be sent; null when no post waits. Posts in a paused queue do not count, nor do those
 * that are held after a restore, until they are looked up.
 */
export async function nextDueAt(context: Context & WithRestoreWatch): Promise<Date | null> {
  const { heldUntil, isSettling } = context.restores.hold;
  const now = context.clock.now();
  if (isSettling) return now;
  const [row] = await findNextDue(context.db.queries, { now, heldUntil });
  return dateOrNull(row?.due ?? null);
}
