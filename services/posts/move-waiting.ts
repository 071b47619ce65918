/** Reschedules or fails waiting posts: rows and events in the caller's transaction. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { RescheduleReason } from '../../entities/post.ts';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { failedEvent, rescheduledEvent, type WaitingPost } from '../events/post-event.ts';
import { storeEvents } from '../events/store-events.ts';
import type { PartError } from './send-part.ts';

/** A locked row of a post in the state `scheduled`. */
export type WaitingRow = WaitingPost & { readonly media_count: number };

/** Columns of a {@link WaitingRow}, of `posts p`. */
export const WAITING = `p.id, p.account_id, p.profile_id, p.connection_slug, p.mode, p.text, p.scheduled_for, p.created_at, p.tags,
  (select count(*)::int from post_media m where m.post_id = p.id) as media_count`;

export interface Move {
  readonly row: WaitingRow;
  readonly time: Date;
  /** The queue slot that it takes; null when it takes none. */
  readonly slot: Date | null;
  readonly reason: RescheduleReason;
}

export interface Failure {
  readonly row: WaitingRow;
  readonly error: PartError;
}

// A new slot is a new time: the day in which the post may be repeated starts with it.
const RESCHEDULE = `
  update posts p set scheduled_for = i.time, slot_at = i.slot, held = false,
    first_due_at = case when i.slot is null then p.first_due_at end
  from jsonb_to_recordset($1::jsonb) as i(id uuid, time timestamptz, slot timestamptz)
  where p.id = i.id and p.status = 'scheduled'`;

const FAIL = `
  update posts p set status = 'failed', error_code = i.code, error_message = i.message, slot_at = null, held = false,
    repeats = 0, first_due_at = null
  from jsonb_to_recordset($1::jsonb) as i(id uuid, code text, message text)
  where p.id = i.id and p.status = 'scheduled'`;

/** Emits post.rescheduled for each. */
export async function reschedule(context: Context, em: SqlEntityManager, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return;
  const rows = moves.map(({ row, time, slot }) => ({ id: row.id, time, slot }));
  await query(em, RESCHEDULE, [JSON.stringify(rows)]);
  const events = moves.map(({ row, time, reason }) => rescheduledEvent(context, row, time, reason));
  await storeEvents(em, events);
}

/** Emits post.failed for each. */
export async function failWaiting(context: Context, em: SqlEntityManager, failures: readonly Failure[]): Promise<void> {
  if (failures.length === 0) return;
  const rows = failures.map(({ row, error }) => ({ id: row.id, code: error.code, message: error.message }));
  await query(em, FAIL, [JSON.stringify(rows)]);
  const events = failures.map(({ row, error }) => failedEvent(context, row, row.media_count, error));
  await storeEvents(em, events);
}
