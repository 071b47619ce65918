/** Gives a calendar a new address; the previous one stops working at once. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Caller } from '../access/caller.ts';
import { holdMakerAnd } from '../access/maker.ts';
import type { Context } from '../context.ts';
import { hashSecret } from '../secrets.ts';
import { calendarUrl, newCalendarSecret } from './calendar-secret.ts';
import { calendarView, type CalendarView } from './calendar-view.ts';
import { requireSight } from './require-sight.ts';
import { lockCalendar } from './reachable-calendars.ts';

/**
 * The new address ends with the key, agent or person that gets it, as that of a new calendar does.
 *
 * @throws ServiceError forbidden (scopes), not_found for an unknown, revoked or foreign calendar, unauthorized when the caller's key or grant was
 *   revoked meanwhile
 */
export async function renewCalendar(
  context: Context,
  caller: Caller,
  calendarId: string,
): Promise<CalendarView & { url: string }> {
  const secret = newCalendarSecret(context.random);
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const lock = () => lockCalendar(em, caller, calendarId);
    const { maker, ownerId, row: calendar } = await holdMakerAnd(em, caller, lock);
    requireSight(caller, calendar.freeSlots);
    Object.assign(calendar, { ...maker, ownerId, secretHash: hashSecret(secret), renewedAt: context.clock.now() });
    await em.flush();
    return { ...calendarView(calendar), url: calendarUrl(context, secret) };
  });
}
