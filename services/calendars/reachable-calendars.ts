/** The one place that defines which calendars a caller sees and manages: those that show no more than the caller reads. */
import { LockMode, type FilterQuery } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Calendar } from '../../entities/calendar.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';

/** Calendars of the caller's account, profile and mode. */
export function reachableCalendars(caller: Caller): FilterQuery<Calendar> {
  return {
    accountId: caller.accountId,
    ...(caller.profileId === null ? {} : { profileId: caller.profileId }),
    ...(caller.mode === 'test' ? { mode: 'test' } : {}),
  };
}

/**
 * Locks a calendar until the end of the transaction that changes it.
 *
 * @throws ServiceError not_found for an unknown, revoked or foreign calendar
 */
export async function lockCalendar(em: SqlEntityManager, caller: Caller, calendarId: string): Promise<Calendar> {
  const where = { ...Object(reachableCalendars(caller)), id: calendarId };
  const calendar = await em.findOne(Calendar, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (calendar === null) throw new ServiceError('not_found', `No calendar of yours has the id ${calendarId}.`);
  return calendar;
}
