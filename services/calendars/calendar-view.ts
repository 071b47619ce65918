/** A calendar in the wire format (docs/contract/calendars.md#addresses): everything except its address. */
import type { Calendar } from '../../entities/calendar.ts';
import { timestamp } from '../timestamp.ts';

export interface CalendarView {
  id: string;
  name: string;
  profileId: string | null;
  connectionId: string | null;
  mode: 'live' | 'test';
  freeSlots: boolean;
  createdAt: string;
  renewedAt: string;
}

export function calendarView(calendar: Calendar): CalendarView {
  const { id, name, profileId, connectionId, mode, freeSlots, createdAt, renewedAt } = calendar;
  return {
    id,
    name,
    profileId: profileId ?? null,
    connectionId: connectionId ?? null,
    mode,
    freeSlots,
    createdAt: timestamp(createdAt),
    renewedAt: timestamp(renewedAt),
  };
}
