/** Gives a calendar a new address; the previous one stops working at once. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { hashSecret } from '../secrets.ts';
import { calendarUrl, newCalendarSecret } from './calendar-secret.ts';
import { calendarView, type CalendarView } from './calendar-view.ts';
import { lockCalendar } from './reachable-calendars.ts';

/** @throws ServiceError not_found for an unknown, revoked or foreign calendar */
export async function renewCalendar(
  context: Context,
  caller: Caller,
  calendarId: string,
): Promise<CalendarView & { url: string }> {
  const secret = newCalendarSecret(context.random);
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const calendar = await lockCalendar(em, caller, calendarId);
    calendar.secretHash = hashSecret(secret);
    calendar.renewedAt = context.clock.now();
    await em.flush();
    return { ...calendarView(calendar), url: calendarUrl(context, secret) };
  });
}
