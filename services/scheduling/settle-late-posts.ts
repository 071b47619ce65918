/**
 * Settles the posts of one connection that are found more than five minutes late, after a stop or a backoff that a
 * platform requested (docs/contract/scheduling.md#late-posts). A queued post moves to its next free slot. Of posts with
 * a time set by hand, the first is sent, the others follow a minute apart, and one that is a day late fails. Each post
 * emits an event.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { LATENESS, lateBefore } from './lateness.ts';
import { moveToFreeSlots } from './move-to-free-slots.ts';
import { DUE, DUE_TYPES, type DueRow, failWaiting, reschedule } from './move-waiting.ts';
import { lockQueues } from './slots.ts';

/** The late posts of a connection once they are settled. */
export interface SettledLatePosts {
  /** The post to send now; null for none. */
  readonly next: DueRow | null;
  /** Number of the others: failed, rescheduled, or held because their queue is paused. */
  readonly moved: number;
}

// Locks them in the order of their ids, as a stop does, and returns them in theirs.
const lockLatePosts = statement('lock late posts of a connection', {
  parameters: { connectionId: 'uuid', before: 'timestamptz', heldUntil: 'timestamptz' },
  result: DUE_TYPES,
  sql: ({ connectionId, before, heldUntil }) => `
    with late as (
      select ${DUE} from posts p join accounts a on a.id = p.account_id
      where p.connection_id = ${connectionId} and p.status = 'scheduled' and not p.held and p.scheduled_for < ${before}
        and p.scheduled_for > ${heldUntil}
      order by p.id for update of p
    )
    select * from late order by scheduled_for, id`,
});

const holdPosts = statement('hold late posts of a paused queue', {
  parameters: { ids: 'uuid[]' },
  sql: ({ ids }) => `update posts set held = true where id = any(${ids})`,
});

/**
 * Locks the connection. The caller has locked the account if its posts need admission.
 *
 * @param heldUntil posts that were due by then are held after a restore
 */
export async function settleLatePosts(
  context: Context,
  em: SqlEntityManager,
  connectionId: string,
  { now, heldUntil }: { readonly now: Date; readonly heldUntil: Date },
): Promise<SettledLatePosts> {
  const queue = (await lockQueues(em, [connectionId], now)).get(connectionId);
  const late = await lockLatePosts(em, { connectionId, before: lateBefore(now), heldUntil });
  const queued = late.filter((row) => row.queued);
  if (queue?.paused) {
    await holdPosts(em, { ids: queued.map(({ id }) => id) });
  } else if (queue !== undefined) {
    await moveToFreeSlots(context, em, queue, queued);
  }
  const timed = late.filter((row) => !row.queued);
  const tooLate = now.getTime() - LATENESS.catchUpMs;
  const { lost = [], rest = [] } = Object.groupBy(timed, (row) => (dueTimeOf(row) < tooLate ? 'lost' : 'rest'));
  await failWaiting(
    context,
    em,
    lost.map((row) => ({ row, error: missedError(row) })),
  );
  const [next = null, ...others] = rest;
  const spaced = others.map((row, index) => {
    const time = new Date(now.getTime() + (index + 1) * LATENESS.spacingMs);
    return { row, time, slot: null, reason: 'catch_up' as const };
  });
  await reschedule(context, em, spaced);
  return { next, moved: late.length - (next === null ? 0 : 1) };
}

/** For a post that was repeated or spaced out, the time that it had before. */
function dueTimeOf(row: DueRow): number {
  return new Date(row.first_due_at ?? row.scheduled_for ?? 0).getTime();
}

function missedError(row: DueRow) {
  return {
    code: 'schedule_missed' as const,
    message: `The post was scheduled for ${new Date(dueTimeOf(row)).toISOString()}, and could not be sent within 24 hours of that time.`,
  };
}
