/**
 * Reads the posts and the free queue slots that a private address shows, as an iCalendar file
 * (docs/contract/calendars.md#what-a-calendar-shows).
 */
import { Calendar } from '../../entities/calendar.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { hashSecret } from '../secrets.ts';
import { secretInFileName } from './calendar-secret.ts';
import { readFreeSlots } from './free-slots.ts';
import { readCalendarPosts } from './calendar-posts.ts';
import { postEvent, slotEvent } from './calendar-events.ts';
import { writeCalendar } from './write-calendar.ts';

/** @returns the file; null for an unknown, renewed or revoked address */
export async function readCalendarFile(context: Context, fileName: string): Promise<string | null> {
  const secret = secretInFileName(fileName);
  if (secret === null) return null;
  const calendar = await context.db.em().findOne(Calendar, { secretHash: hashSecret(secret) });
  if (calendar === null) return null;
  const reader = readerOf(calendar);
  const { connectionId, freeSlots } = calendar;
  const posts = await readCalendarPosts(context, reader, connectionId);
  const slots = freeSlots ? await readFreeSlots(context, reader, connectionId) : [];
  const host = new URL(context.config.publicUrl).hostname;
  const events = [...posts.map((post) => postEvent(post, host)), ...slots.map((slot) => slotEvent(slot, host))];
  return writeCalendar({ name: calendar.name, events });
}

/** Reads what the key reached that made the calendar, narrowed to the profile of the calendar. */
function readerOf({ id, accountId, profileId, mode, name }: Calendar): Caller {
  const actor = { kind: 'customer', id, name } as const;
  const limits = {
    profileId: profileId ?? null,
    mode,
    scopes: new Set(['posts:read'] as const),
    approval: 'none',
    policyId: null,
  } as const;
  return { accountId, ...limits, keyId: id, actor };
}
