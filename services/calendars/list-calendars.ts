/** Lists the caller's calendars, newest first, a page at a time, without their addresses. */
import { Calendar } from '../../entities/calendar.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { type CursorPage, type Page, pageOf } from '../paging.ts';
import { calendarView, type CalendarView } from './calendar-view.ts';
import { reachableCalendars } from './reachable-calendars.ts';

export async function listCalendars(
  context: Context,
  caller: Caller,
  { limit, cursor }: CursorPage,
): Promise<Page<CalendarView>> {
  const where = { ...Object(reachableCalendars(caller)), ...(cursor !== undefined && { id: { $lt: cursor } }) };
  const calendars = await context.db.em().find(Calendar, where, { orderBy: { id: 'desc' }, limit: limit + 1 });
  return pageOf(calendars.map(calendarView), limit);
}
