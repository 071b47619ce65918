/** Reads the posts of a calendar: those that are to go out, and the latest that did. */
import { anyOf } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { type CalendarRow, type CalendarWindow, calendarRows } from '../posts/calendar-rows.ts';
import { LONGEST_LOOK, planCalendar } from '../posts/plan-calendar.ts';
import { HORIZON_DAYS } from '../scheduling/horizon.ts';

/** How far back a calendar shows posts. */
export const PAST_DAYS = 60;

/** A day more than posts can be scheduled ahead. */
const AHEAD_DAYS = HORIZON_DAYS + 1;

/** Most posts on each side of now. */
export const POSTS_PER_SIDE = 500;

const DAY_MS = 86_400_000;

/** A post, and when it was changed last. */
export interface CalendarPost {
  readonly row: CalendarRow;
  readonly changedAt: Date;
}

/**
 * At most {@link POSTS_PER_SIDE} posts of the past {@link PAST_DAYS} days, the latest of them, and as many to come, the
 * earliest of them; in order of time.
 *
 * @param connectionId null for all
 */
export async function readCalendarPosts(
  context: Context,
  reader: Caller,
  connectionId: string | null,
): Promise<CalendarPost[]> {
  const em = context.db.em();
  const now = context.clock.now();
  const [from, until] = [new Date(+now - PAST_DAYS * DAY_MS), new Date(+now + AHEAD_DAYS * DAY_MS)];
  const filter = { tag: [], connections: connectionId === null ? null : [connectionId] };
  const { narrow } = await planCalendar(em, reader, filter, { from, until }, LONGEST_LOOK);
  const read = (window: Pick<CalendarWindow, 'from' | 'until' | 'latestFirst'>) =>
    calendarRows(em, reader, filter, narrow, { afterId: null, limit: POSTS_PER_SIDE, ...window }).execute();
  // A post that was sent in this millisecond is in the past.
  const next = new Date(+now + 1);
  const past = await read({ from, until: next, latestFirst: true });
  const ahead = await read({ from: next, until });
  const rows = [...past.toReversed(), ...ahead];
  const events = await latestEvents(context, reader, rows);
  return rows.map((row) => ({ row, changedAt: changedAt(row, events.get(row.id)) }));
}

/** When each post got its latest event, such as a new time; events are kept for 30 days. */
async function latestEvents(
  context: Context,
  { accountId }: Caller,
  rows: readonly CalendarRow[],
): Promise<Map<string, string>> {
  const found = await tables(context.db.queries)
    .selectFrom('events')
    .select(['subject_id', ({ fn }) => fn.max<string>('created_at').as('at')])
    .where('account_id', '=', accountId)
    .where('subject_id', '=', anyOf(rows.map(({ id }) => id)))
    .where('name', '<>', 'post.metrics')
    .groupBy('subject_id')
    .execute();
  return new Map(found.map(({ subject_id: id, at }) => [id, at]));
}

function changedAt({ created_at: createdAt, sent_at: sentAt }: CalendarRow, eventAt: string | undefined): Date {
  const times = [createdAt, sentAt, eventAt].flatMap((time) => (time == null ? [] : [Date.parse(time)]));
  return new Date(Math.max(...times));
}
