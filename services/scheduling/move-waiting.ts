/** Reschedules or fails waiting posts: rows and events in the caller's transaction. */
import type { ItemError } from '../../errors/item-error.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { RescheduleReason } from '../../entities/post.ts';
import { columns } from '../../entities/column-lists.ts';
import { records, type RowOf, type Statement, statement } from '../../entities/statement.ts';
import { PLAN_TERMS } from '../plans/plan-terms.ts';
import type { Context } from '../context.ts';
import { failedEvent, rescheduledEvent } from '../events/post-event.ts';
import { storeEvents } from '../events/store-events.ts';

const POST = columns(
  'posts',
  [
    'id',
    'account_id',
    'profile_id',
    'connection_id',
    'connection_slug',
    'platform_id',
    'mode',
    'text',
    'scheduled_for',
    'first_due_at',
    'queued',
    'created_at',
    'tags',
  ],
  'p',
);

/** Columns of a post in the state `scheduled`, of `posts p`. */
export const WAITING = `${POST.sql}, (select count(*)::int from post_media m where m.post_id = p.id) as media_count`;

export const WAITING_TYPES = { ...POST.types, media_count: 'int' } as const;

export type WaitingRow = RowOf<Statement<{}, typeof WAITING_TYPES>>;

/** Columns of a post that is due, of `posts p` and `accounts a`. */
export const DUE = `${WAITING}, ${PLAN_TERMS.sql}`;

export const DUE_TYPES = { ...WAITING_TYPES, ...PLAN_TERMS.types } as const;

export type DueRow = RowOf<Statement<{}, typeof DUE_TYPES>>;

export interface Move {
  readonly row: WaitingRow;
  readonly time: Date;
  /** The queue slot that it takes; null when it takes none. */
  readonly slot: Date | null;
  readonly reason: RescheduleReason;
}

export interface Failure {
  readonly row: WaitingRow;
  readonly error: ItemError;
}

// A new slot, and the day after the one that the plan allows no more for, is a new time: the post has all its repeats again, and the
// day in which it may be repeated starts with it. A post that only waits for those before it keeps them, and is as late as before.
const rescheduleRows = statement('give waiting posts other times', {
  parameters: { moves: records({ id: 'uuid', time: 'timestamptz', slot: 'timestamptz?', isNewTime: 'boolean' }) },
  sql: ({ moves }) => `
    update posts p set scheduled_for = moves.time, slot_at = moves.slot, held = p.stop_id is not null,
      repeats = case when moves."isNewTime" then 0 else p.repeats end,
      first_due_at = case when moves."isNewTime" then null else coalesce(p.first_due_at, p.scheduled_for) end
    from ${moves} where p.id = moves.id and p.status = 'scheduled'`,
});

const failRows = statement('fail waiting posts', {
  parameters: { failures: records({ id: 'uuid', code: 'text', message: 'text' }) },
  sql: ({ failures }) => `
    update posts p set status = 'failed', error_code = failures.code, error_message = failures.message, slot_at = null,
      held = false, repeats = 0, first_due_at = null
    from ${failures} where p.id = failures.id and p.status = 'scheduled'`,
});

/** Emits post.rescheduled for each. */
export async function reschedule(context: Context, em: SqlEntityManager, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return;
  await rescheduleRows(em, {
    moves: moves.map(({ row, time, slot, reason }) => ({ id: row.id, time, slot, isNewTime: reason !== 'catch_up' })),
  });
  const events = moves.map(({ row, time, reason }) => rescheduledEvent(context, row, time, reason));
  await storeEvents(em, events);
}

/** Emits post.failed for each. */
export async function failWaiting(context: Context, em: SqlEntityManager, failures: readonly Failure[]): Promise<void> {
  if (failures.length === 0) return;
  await failRows(em, {
    failures: failures.map(({ row, error: { code, message } }) => ({ id: row.id, code, message })),
  });
  const events = failures.map(({ row, error }) => failedEvent(context, row, row.media_count, error));
  await storeEvents(em, events);
}
