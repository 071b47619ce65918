/** The title of a post in a calendar. */
import { expect, it } from 'vitest';
import { postEvent } from '../../../services/calendars/calendar-events.ts';
import type { CalendarPost } from '../../../services/calendars/calendar-posts.ts';

const titleOf = (text: string) => {
  const row = { id: '1', text, status: 'sent', connection_slug: 'bells', platform_id: 'email', error_message: null };
  const post = { row: { ...row, at: '2026-11-27T12:00:00Z', tags: [], url: null }, changedAt: new Date(0) };
  return postEvent(post as unknown as CalendarPost, 'localhost').title;
};

it.each([
  ['One', 'One (bells)'],
  ['\n\n  One  \r\n\r\ntwo', 'One (bells)'],
  ['One\rtwo', 'One (bells)'],
  [`${'a'.repeat(80)}\nb`, `${'a'.repeat(80)} (bells)`],
  ['a'.repeat(81), `${'a'.repeat(79)}… (bells)`],
  // Each space is read once.
  [`a${' '.repeat(1_000_000)}b`, `a${' '.repeat(78)}… (bells)`],
])('is its first line, cut after 80 characters', (text, title) => {
  expect(titleOf(text)).toBe(title);
});
