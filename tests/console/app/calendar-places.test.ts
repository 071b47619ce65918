/** Where posts go that are dropped in the calendar, on all days on which clocks change. */
import { describe, expect, it } from 'vitest';
import { addDays, endOf, instantOf, timeAt, wallAt } from '../../../console/app/ui/zoned.ts';
import {
  type Post,
  type PostEntry,
  postEntriesIn,
  type SlotEntry,
} from '../../../console/app/views/calendar/entries.ts';
import { hoursOf, isIn, newPostTime, targetOf } from '../../../console/app/views/calendar/places.ts';
import { changeDays, CHANGING_ZONES } from '../change-days.ts';

const MINUTE_MS = 60_000;
const SECONDS_MS = 7_000;

function entryAt(instant: number, zone: string): PostEntry {
  const post = { id: 'post', at: new Date(instant).toISOString(), connectionId: 'bell' } as Post;
  const [entry] = postEntriesIn(zone)([post]);
  if (entry === undefined) throw new Error('a post has an entry');
  return entry;
}

/** All minutes of a day. */
function minutesOf(day: string, zone: string): number[] {
  const start = instantOf({ day, time: '00:00' }, zone);
  const count = (endOf(day, zone) + 1 - start) / MINUTE_MS;
  return Array.from({ length: count }, (_, index) => start + index * MINUTE_MS);
}

const minuteOf = (instant: number, zone: string) => wallAt(instant, zone).time.slice(3);

const iso = (instant: number) => new Date(instant).toISOString();

/** The times of an hour, such as "02:30 to 02:59". */
function hourOf(day: string, hour: string, zone: string): string[] {
  const { spans = [] } = hoursOf(day, zone).find((one) => one.hour === hour) ?? {};
  return spans.map(({ start, end }) => `${timeAt(start, zone)} to ${timeAt(end - MINUTE_MS, zone)}`);
}

describe.each(CHANGING_ZONES)('on each day of a clock change in %s', (zone) => {
  /** A post of another day, some seconds after a minute of an hour. */
  const draggedAt = (day: string, minute: string) =>
    entryAt(instantOf({ day: addDays(day, -2), time: `10:${minute}` }, zone) + SECONDS_MS, zone);

  it.each(changeDays(zone))('%s: each minute takes a drop, and shows the post where it was dropped', (day) => {
    const hours = hoursOf(day, zone);
    const isRight = (minute: number) => {
      const [found, ...others] = hours.flatMap(({ hour, spans }) =>
        spans.filter((span) => isIn(span, minute)).map((span) => ({ hour, span })),
      );
      if (found === undefined || others.length > 0) return false;
      const to = targetOf(draggedAt(day, minuteOf(minute, zone)), { span: found.span }, zone);
      const { wall } = entryAt(to, zone);
      return to === minute + SECONDS_MS && wall.day === day && wall.time.startsWith(found.hour);
    };
    const minutes = minutesOf(day, zone);
    expect(minutes.filter((minute) => !isRight(minute)).map(iso)).toEqual([]);
  });

  it.each(changeDays(zone))('%s: a drop on an hour stays in this hour, also with minutes that it lacks', (day) => {
    const spans = hoursOf(day, zone).flatMap((hour) => hour.spans);
    const all = Array.from({ length: 60 }, (_, minute) => draggedAt(day, String(minute).padStart(2, '0')));
    const wrong = spans.filter((span) => all.some((entry) => !isIn(span, targetOf(entry, { span }, zone))));
    expect(wrong).toEqual([]);
  });

  it.each(changeDays(zone))('%s: a drop on the same day moves no post', (day) => {
    const moved = minutesOf(day, zone).filter((minute) => {
      const at = minute + SECONDS_MS;
      return targetOf(entryAt(at, zone), { day }, zone) !== at;
    });
    expect(moved.map(iso)).toEqual([]);
  });

  it.each(changeDays(zone))('%s: a drop of another day keeps the time on the clocks, unless they skip it', (day) => {
    const wrong: string[] = [];
    for (const minute of minutesOf(addDays(day, -3), zone)) {
      const entry = entryAt(minute, zone);
      const to = targetOf(entry, { day }, zone);
      const exact = Temporal.PlainDateTime.from(`${day}T${entry.wall.time}`).toZonedDateTime(zone);
      if (to !== exact.epochMilliseconds) wrong.push(iso(minute));
    }
    expect(wrong).toEqual([]);
  });
});

// Past dates, because a new time zone database does not change them.
describe('the hours of a day', () => {
  it('have one time each when clocks do not change', () => {
    const hours = hoursOf('2025-06-01', 'Europe/Paris');
    expect(hours.map(({ spans }) => spans.length)).toEqual(Array.from({ length: 24 }, () => 1));
    expect(hourOf('2025-06-01', '02', 'Europe/Paris')).toEqual(['02:00 to 02:59']);
  });

  it.each([
    ['Europe/Paris', '2025-03-30', '02', []],
    ['Europe/Paris', '2025-10-26', '02', ['02:00 UTC+2 to 02:59 UTC+2', '02:00 UTC+1 to 02:59 UTC+1']],
    ['Australia/Lord_Howe', '2025-10-05', '02', ['02:30 to 02:59']],
    ['Australia/Lord_Howe', '2025-04-06', '01', ['01:00 to 01:59 UTC+11', '01:30 UTC+10:30 to 01:59 UTC+10:30']],
    ['America/Nuuk', '2024-03-30', '23', []],
    ['America/St_Johns', '2025-11-02', '01', ['01:00 UTC-2:30 to 01:59 UTC-2:30', '01:00 UTC-3:30 to 01:59 UTC-3:30']],
    ['Pacific/Chatham', '2025-09-28', '02', ['02:00 to 02:44']],
    ['Pacific/Chatham', '2025-09-28', '03', ['03:45 to 03:59']],
  ])('have in %s on %s at %s what clocks show', (zone, day, hour, times) => {
    expect(hourOf(day, hour, zone)).toEqual(times);
  });
});

describe('a drop', () => {
  const zone = 'Europe/Paris';
  const entry = entryAt(Date.parse('2025-10-24T08:30:00Z'), zone);

  it('on a free slot of the connection takes its instant, also in the second of two equal hours', () => {
    const instant = Date.parse('2025-10-26T01:00:00Z');
    const slot = { ...entryAt(instant, zone), kind: 'slot', connection: { id: 'bell' } } as unknown as SlotEntry;
    expect(iso(targetOf(entry, { slot }, zone))).toBe('2025-10-26T01:00:00.000Z');
  });

  it('on a free slot of another connection keeps the time on the clocks', () => {
    const instant = Date.parse('2025-10-26T01:00:00Z');
    const slot = { ...entryAt(instant, zone), kind: 'slot', connection: { id: 'other' } } as unknown as SlotEntry;
    expect(iso(targetOf(entry, { slot }, zone))).toBe('2025-10-26T09:30:00.000Z');
  });
});

describe('the time that a day offers for a new post', () => {
  it.each([
    ['the morning before it', 'Europe/Paris', '07:10', '09:00'],
    ['the next full hour after it', 'Europe/Paris', '09:00', '10:00'],
    ['the next full hour of clocks that are half an hour apart from others', 'Asia/Kolkata', '14:10', '15:00'],
    ['its last minute in the last hour', 'Europe/Paris', '23:05', '23:59'],
    ['its last minute in the last hour of a zone far from UTC', 'Pacific/Kiritimati', '23:59', '23:59'],
  ])('is today %s', (_when, zone, now, time) => {
    const day = '2025-06-01';
    const offered = newPostTime(day, instantOf({ day, time: now }, zone), zone);
    expect(wallAt(offered, zone)).toMatchObject({ day, time });
  });

  it.each(CHANGING_ZONES)('is on no day of a clock change in %s another day', (zone) => {
    const wrong = changeDays(zone).flatMap((day) =>
      minutesOf(day, zone).filter((now) => wallAt(newPostTime(day, now, zone), zone).day !== day),
    );
    expect(wrong.map(iso)).toEqual([]);
  });

  it('is the morning on other days', () => {
    const zone = 'Europe/Paris';
    const now = instantOf({ day: '2025-06-01', time: '23:30' }, zone);
    expect(timeAt(newPostTime('2025-06-02', now, zone), zone)).toBe('09:00');
  });
});
