/** Gives a waiting post a new time, or fails it: the row and its event in the caller's transaction. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { RescheduleReason } from '../../entities/post.ts';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { failedEvent, rescheduledEvent, type WaitingPost } from '../events/post-event.ts';
import { storeEvents } from '../events/store-events.ts';
import type { PartError } from './send-part.ts';

/** A post in the state `scheduled`, its row locked. */
export type WaitingRow = WaitingPost & { readonly media_count: number };

/** Columns of a {@link WaitingRow}, of `posts p`. */
export const WAITING = `p.id, p.account_id, p.profile_id, p.connection_slug, p.mode, p.text, p.scheduled_for, p.created_at, p.tags,
  (select count(*)::int from post_media m where m.post_id = p.id) as media_count`;

export interface NewTime {
  readonly time: Date;
  /** The queue slot that is its time; null when it takes none. */
  readonly slot: Date | null;
  readonly reason: RescheduleReason;
}

/** Emits post.rescheduled. */
export async function reschedule(
  context: Context,
  em: SqlEntityManager,
  row: WaitingRow,
  { time, slot, reason }: NewTime,
): Promise<void> {
  const sql = `update posts set scheduled_for = $2, slot_at = $3, held = false where id = $1 and status = 'scheduled'`;
  await query(em, sql, [row.id, time, slot]);
  await storeEvents(em, [rescheduledEvent(context, row, time, reason)]);
}

/** Emits post.failed. */
export async function failWaiting(
  context: Context,
  em: SqlEntityManager,
  row: WaitingRow,
  error: PartError,
): Promise<void> {
  const sql = `update posts set status = 'failed', error_code = $2, error_message = $3, slot_at = null, held = false
    where id = $1 and status = 'scheduled'`;
  await query(em, sql, [row.id, error.code, error.message]);
  await storeEvents(em, [failedEvent(context, row, row.media_count, error)]);
}
