/** When hours are quiet and when that ends, also on days on which clocks change. */
import { describe, expect, it } from 'vitest';
import { isQuiet, quietEnd } from '../../../services/policies/quiet-hours.ts';

const BERLIN = 'Europe/Berlin';

it.each([
  ['on the next day', { from: '22:00', to: '07:00', timezone: BERLIN }, '2026-11-21T22:00:00Z', '2026-11-22T06:00:00Z'],
  ['on the same day', { from: '22:00', to: '07:00', timezone: BERLIN }, '2026-11-22T03:00:00Z', '2026-11-22T06:00:00Z'],
  // Clocks show 02:10 and 02:30 twice.
  ['the first time', { from: '22:00', to: '02:30', timezone: BERLIN }, '2026-10-25T00:10:00Z', '2026-10-25T00:30:00Z'],
  ['the second time', { from: '22:00', to: '02:30', timezone: BERLIN }, '2026-10-25T01:10:00Z', '2026-10-25T01:30:00Z'],
  // Clocks skip from 02:00 to 03:00, which is later than 02:30.
  ['with the skip', { from: '22:00', to: '02:30', timezone: BERLIN }, '2027-03-28T00:59:00Z', '2027-03-28T01:00:00Z'],
  // The skip leads from within the quiet hours to the next ones.
  ['a day later', { from: '03:00', to: '02:30', timezone: BERLIN }, '2027-03-28T00:59:00Z', '2027-03-29T00:30:00Z'],
  // Clocks are set back from 03:00 to 02:00, which is before the quiet hours.
  ['with the repeat', { from: '02:45', to: '03:15', timezone: BERLIN }, '2026-10-25T00:50:00Z', '2026-10-25T01:00:00Z'],
])('end %s', (_when, hours, at, end) => {
  expect(quietEnd(hours, new Date(at)).toISOString()).toBe(new Date(end).toISOString());
});

describe('each minute of the days around a change, read from Intl,', () => {
  const MINUTE_MS = 60_000;
  const DAY = 1_440;

  // Past dates for zones whose rules change often, because a new time zone database does not change them.
  it.each([
    [BERLIN, '2027-03-28'],
    [BERLIN, '2026-10-25'],
    ['America/New_York', '2027-03-14'],
    ['America/New_York', '2026-11-01'],
    // By half an hour.
    ['Australia/Lord_Howe', '2025-10-05'],
    ['Australia/Lord_Howe', '2026-04-05'],
    // By two hours.
    ['Antarctica/Troll', '2025-03-30'],
    // At midnight, to 01:00 and back to 23:00.
    ['Africa/Cairo', '2024-04-26'],
    ['Africa/Cairo', '2024-11-01'],
    ['America/Santiago', '2024-09-08'],
    ['America/Santiago', '2025-04-06'],
    // Over the end of a day.
    ['America/Nuuk', '2024-03-31'],
    ['America/Nuuk', '2024-10-27'],
    // Without a whole day, and with most of one twice.
    ['Pacific/Apia', '2011-12-30'],
    ['Pacific/Kwajalein', '1969-09-30'],
    // Never.
    ['Asia/Kathmandu', '2026-11-22'],
  ])('is quiet by its wall time, until the first that is not: %s, %s', (timezone, day) => {
    const start = Date.parse(day) - DAY * MINUTE_MS;
    const walls = minutesOfDay(timezone, start, 4 * DAY);
    const times = timesToTry(walls);
    const wrong: string[] = [];
    for (const from of times) {
      for (const to of times) {
        if (from === to) continue;
        const hours = { from: text(from), to: text(to), timezone };
        const quiet = walls.map((wall) => (from < to ? wall >= from && wall < to : wall >= from || wall < to));
        for (const minute of minutesToTry(quiet)) {
          const at = new Date(start + minute * MINUTE_MS);
          const end = quiet.indexOf(false, minute);
          // It comes after the last minute.
          if (end === -1) break;
          const expected = end === minute ? null : start + end * MINUTE_MS;
          const found = isQuiet(hours, at) ? quietEnd(hours, at).getTime() : null;
          if (found !== expected) wrong.push(`${hours.from}-${hours.to} at ${at.toISOString()}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  /** What clocks show in each minute, as minutes after midnight. */
  function minutesOfDay(timeZone: string, start: number, count: number): number[] {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    return Array.from({ length: count }, (_, minute) => {
      const [hours = 0, minutes = 0] = format
        .format(start + minute * MINUTE_MS)
        .split(':')
        .map(Number);
      return hours * 60 + minutes;
    });
  }

  /** Ordinary times, and those before, in and after the minutes that clocks skip or show twice. */
  function timesToTry(walls: readonly number[]): number[] {
    const times = new Set([0, 7 * 60, 12 * 60, 22 * 60]);
    for (const [index, wall] of walls.entries()) {
      const before = walls[index - 1] ?? wall - 1;
      const skipped = (before + 1) % DAY;
      if (wall === skipped) continue;
      for (const time of [before, skipped, Math.floor((before + wall) / 2), wall, wall + 15]) times.add(time % DAY);
    }
    return [...times];
  }

  /** The first and the last minute of each time that is quiet or is not, and one within. */
  function minutesToTry(quiet: readonly boolean[]): number[] {
    const edges = quiet.flatMap((isQuietMinute, minute) => (isQuietMinute === quiet[minute - 1] ? [] : [minute]));
    return edges.flatMap((edge, index) => {
      const next = edges[index + 1] ?? quiet.length;
      return [edge, Math.floor((edge + next) / 2), next - 1];
    });
  }

  function text(minutes: number): string {
    const two = (part: number): string => String(part).padStart(2, '0');
    return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  }
});
