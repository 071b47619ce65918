/**
 * Settles posts that are found more than five minutes late, after a stop or a backoff that a platform requested. Posts
 * of one connection are settled together, with its row locked (docs/contract/scheduling.md#late-posts). A queued post
 * moves to its next free slot. Of posts with a time set by hand, the first is sent, the others follow a minute apart,
 * and one that is a day late fails. Each post emits an event.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { rowNeedsAdmission } from '../plans/admit-posts.ts';
import { PLAN_TERMS, type PlanTermsRow } from '../plans/plan-terms.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { lockQueues } from '../queue/slots.ts';
import { moveToFreeSlots } from '../queue/move-to-free-slots.ts';
import { claimAdmitted, type TakenPosts } from './claim-due-sends.ts';
import { CLAIMED, type ClaimableRow } from './claimed-row.ts';
import type { ClaimedSend } from './claimed-send.ts';
import { countInProgress, platformsWithCapacity } from './concurrency-limits.ts';
import { LATENESS, lateBefore } from './lateness.ts';
import { failWaiting, reschedule } from './move-waiting.ts';

/** Maximum number of connections that one round settles. */
const CONNECTIONS_AT_ONCE = 100;

interface LateConnection extends PlanTermsRow {
  id: string;
  account_id: string;
  platform_id: string;
}

type LateRow = ClaimableRow & { queued: boolean };

const LATE_CONNECTIONS = `
  select distinct c.id, c.account_id, c.platform_id, ${PLAN_TERMS}
  from posts p join connections c on c.id = p.connection_id join accounts a on a.id = c.account_id
  where p.status = 'scheduled' and not p.held and p.scheduled_for < $1 and p.platform_id = any($2::text[])
    and (c.backoff_until is null or c.backoff_until <= $3)
  limit $4`;

const LATE_POSTS = `
  select ${CLAIMED}, ${PLAN_TERMS}, p.queued
  from posts p join connections c on c.id = p.connection_id join accounts a on a.id = p.account_id
  where p.connection_id = $1 and p.status = 'scheduled' and not p.held and p.scheduled_for < $2
  order by p.scheduled_for, p.id for update of p`;

const HOLD = `update posts set held = true where id = any($1::uuid[])`;

export async function settleLatePosts(context: Context): Promise<TakenPosts> {
  const now = context.clock.now();
  const platformIds = platformsWithCapacity(context.platforms, countInProgress(context.sends.inProgress));
  const parameters = [lateBefore(now), platformIds, now, CONNECTIONS_AT_ONCE];
  const connections = await query<LateConnection>(context.db.em(), LATE_CONNECTIONS, parameters);
  const sends: ClaimedSend[] = [];
  let moved = 0;
  for (const connection of connections) {
    const taken = await context.db
      .em()
      .transactional((em: SqlEntityManager) => settleConnection(context, em, connection, now));
    sends.push(...taken.sends);
    moved += taken.moved;
  }
  return { sends, moved };
}

async function settleConnection(
  context: Context,
  em: SqlEntityManager,
  connection: LateConnection,
  now: Date,
): Promise<TakenPosts> {
  if (rowNeedsAdmission(context, connection)) await lockAccount(em, connection.account_id);
  const queue = (await lockQueues(em, [connection.id], now)).get(connection.id);
  const late = await query<LateRow>(em, LATE_POSTS, [connection.id, lateBefore(now)]);
  const queued = late.filter((row) => row.queued);
  if (queue?.paused) {
    await query(em, HOLD, [queued.map(({ id }) => id)]);
  } else if (queue !== undefined) {
    await moveToFreeSlots(context, em, queue, queued);
  }
  const byHand = late.filter((row) => !row.queued);
  const tooLate = now.getTime() - LATENESS.catchUpMs;
  const { lost = [], rest = [] } = Object.groupBy(byHand, (row) => (dueTimeOf(row) < tooLate ? 'lost' : 'rest'));
  await failWaiting(
    context,
    em,
    lost.map((row) => ({ row, error: missedError(row) })),
  );
  const [first, ...others] = rest;
  const spaced = others.map((row, index) => {
    const time = new Date(now.getTime() + (index + 1) * LATENESS.spacingMs);
    return { row, time, slot: null, reason: 'catch_up' as const };
  });
  await reschedule(context, em, spaced);
  const moved = late.length - (first === undefined ? 0 : 1);
  if (first === undefined) return { sends: [], moved };
  const taken = await claimAdmitted(context, em, [first]);
  return { sends: taken.sends, moved: moved + taken.moved };
}

/** For a repeated post, the time that it had before its first repeat. */
function dueTimeOf(row: LateRow): number {
  return new Date(row.first_due_at ?? row.scheduled_for ?? 0).getTime();
}

function missedError(row: LateRow) {
  return {
    code: 'schedule_missed' as const,
    message: `The post was to go out at ${new Date(dueTimeOf(row)).toISOString()}, and nothing could send it within 24 hours of that.`,
  };
}
