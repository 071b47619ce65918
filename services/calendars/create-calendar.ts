/** Makes a private calendar address (docs/contract/calendars.md#addresses). Its secret is in this answer only. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Calendar } from '../../entities/calendar.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import { holdMaker } from '../access/maker.ts';
import { holdOwnProfile, holdProfile } from '../access/hold-profile.ts';
import { getConnection } from '../connections/get-connection.ts';
import type { Context } from '../context.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { hashSecret } from '../secrets.ts';
import { requireSight } from './require-sight.ts';
import { calendarUrl, newCalendarSecret } from './calendar-secret.ts';
import { calendarView, type CalendarView } from './calendar-view.ts';

/** Most calendars of an account, in both modes together. */
export const CALENDARS_PER_ACCOUNT = 100;

export interface NewCalendar {
  readonly name: string;
  readonly profileId?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly freeSlots: boolean;
}

/**
 * @throws ServiceError forbidden (scopes), not_found (profile, connection), limit_exceeded, unauthorized when the caller's profile, key or
 * grant was deleted or revoked meanwhile
 */
export async function createCalendar(
  context: Context,
  caller: Caller,
  { name, profileId: wanted, connectionId, freeSlots }: NewCalendar,
): Promise<CalendarView & { url: string }> {
  const { accountId, mode } = caller;
  requireSight(caller, freeSlots);
  if (connectionId !== undefined) await getConnection(context, caller, connectionId);
  const secret = newCalendarSecret(context.random);
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    if (wanted !== undefined) await holdProfile(em, caller, wanted);
    else if (caller.profileId !== null) await holdOwnProfile(em, caller, caller.profileId);
    const { maker, ownerId } = await holdMaker(em, caller);
    await lockAccount(em, accountId);
    await requireCapacity(em, accountId);
    const now = context.clock.now();
    const calendar = em.create(Calendar, {
      ...maker,
      ownerId,
      id: context.random.uuid(),
      accountId,
      profileId: wanted ?? caller.profileId,
      connectionId: connectionId ?? null,
      mode,
      name,
      freeSlots,
      secretHash: hashSecret(secret),
      createdAt: now,
      renewedAt: now,
    });
    await em.flush();
    return { ...calendarView(calendar), url: calendarUrl(context, secret) };
  });
}

async function requireCapacity(em: SqlEntityManager, accountId: string): Promise<void> {
  const count = await em.count(Calendar, { accountId });
  if (count < CALENDARS_PER_ACCOUNT) return;
  const message = `The account has ${count} calendars; the limit is ${CALENDARS_PER_ACCOUNT}. Revoke one with DELETE /calendars/{calendarId} first.`;
  throw new ServiceError('limit_exceeded', message);
}
