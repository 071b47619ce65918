/** Turns posts and free slots into events of a calendar (docs/contract/calendars.md#what-a-calendar-shows). Pure. */
import type { CalendarRow } from '../posts/calendar-rows.ts';
import type { CalendarPost } from './calendar-posts.ts';
import type { FreeSlot } from './free-slots.ts';
import type { CalendarEvent } from './write-calendar.ts';

/** Most characters of a post in the title of its event. */
const TITLE_MAX = 80;

/** Posts and slots have no length; a calendar shows a quarter of an hour. */
const SHOWN_MS = 15 * 60_000;

const WORDS: Readonly<Record<CalendarRow['status'], string>> = {
  scheduled: 'Scheduled',
  processing: 'Sending',
  sent: 'Sent',
  failed: 'Failed',
};

/** @param host name that makes the UID unique among installs */
export function postEvent({ row, changedAt }: CalendarPost, host: string): CalendarEvent {
  const { id, text, status, connection_slug: slug, platform_id: platform, error_message: error, tags, url } = row;
  const facts = [`${WORDS[status]} on ${slug} (${platform})`, error === null ? null : `Error: ${error}`];
  const start = new Date(row.at);
  return {
    uid: `post-${id}@${host}`,
    start,
    end: new Date(+start + SHOWN_MS),
    changedAt,
    title: `${status === 'failed' ? 'Failed: ' : ''}${titleOf(text)} (${slug})`,
    description: [text, facts.filter((fact) => fact !== null).join('\n')].join('\n\n'),
    status: status === 'failed' ? 'CANCELLED' : 'CONFIRMED',
    categories: tags,
    url,
  };
}

export function slotEvent({ connectionId, connectionSlug: slug, at }: FreeSlot, host: string): CalendarEvent {
  return {
    uid: `slot-${connectionId}-${at.getTime()}@${host}`,
    start: at,
    end: new Date(+at + SHOWN_MS),
    // A slot is computed, not stored: its instant is the only one that stays.
    changedAt: at,
    title: `Free slot (${slug})`,
    description: `The queue of ${slug} has no post for this time.`,
    status: 'TENTATIVE',
    categories: [],
    url: null,
  };
}

function titleOf(text: string): string {
  const line = (text.trim().split(/[\r\n]/, 1)[0] ?? '').trimEnd();
  const characters = [...line];
  return characters.length <= TITLE_MAX ? line : `${characters.slice(0, TITLE_MAX - 1).join('')}…`;
}
