/** Time zones of the console app, compared with Temporal. */
import { describe, expect, it } from 'vitest';
import { addDays, addMonths, instantOf, isDay, monthOf, offsetNote, wallAt } from '../../console/app/ui/zoned.ts';
import { changeDays, CHANGING_ZONES } from './change-days.ts';
import { slotInstants } from '../../console/app/views/queues/slots.ts';

const ZONES = ['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC', 'Pacific/Chatham'];

/** The days next to a clock change, and the 15th of each month. */
function daysToTry(zone: string): string[] {
  const days: string[] = [];
  for (let day = '2026-01-01'; day < '2027-01-01'; day = addDays(day, 1)) {
    const start = Temporal.PlainDate.from(addDays(day, -1)).toZonedDateTime(zone);
    const end = Temporal.PlainDate.from(addDays(day, 2)).toZonedDateTime(zone);
    if (start.offset !== end.offset || day.endsWith('15')) days.push(day);
  }
  return days;
}

describe('wall times of the console', () => {
  it.each(ZONES)(
    'are the instants that Temporal gives, around each clock change of a year and between in %s',
    (zone) => {
      const wrong: string[] = [];
      for (const day of daysToTry(zone)) {
        for (let half = 0; half < 48; half += 1) {
          const time = `${String(Math.floor(half / 2)).padStart(2, '0')}:${half % 2 === 0 ? '00' : '30'}`;
          const { epochMilliseconds } = Temporal.PlainDateTime.from(`${day}T${time}`).toZonedDateTime(zone);
          if (instantOf({ day, time }, zone) !== epochMilliseconds) wrong.push(`${day} ${time}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  it('go past a gap, and take the first of two', () => {
    const iso = (day: string, time: string) => new Date(instantOf({ day, time }, 'Europe/Paris')).toISOString();
    expect(iso('2026-03-29', '02:30')).toBe('2026-03-29T01:30:00.000Z');
    expect(iso('2026-10-25', '02:30')).toBe('2026-10-25T00:30:00.000Z');
    expect(wallAt(Date.parse('2026-10-25T01:30:00Z'), 'Europe/Paris')).toEqual({
      day: '2026-10-25',
      time: '02:30',
      isSecond: true,
    });
  });

  it.each(CHANGING_ZONES)(
    'lead back to the instant that showed them, in each minute around each clock change in %s',
    (zone) => {
      const wrong: string[] = [];
      for (const day of changeDays(zone)) {
        const end = instantOf({ day: addDays(day, 1), time: '00:00' }, zone);
        for (let at = instantOf({ day, time: '00:00' }, zone); at < end; at += 60_000) {
          const wall = wallAt(at, zone);
          if (wall.day !== day || instantOf(wall, zone) !== at) wrong.push(new Date(at).toISOString());
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  it('are there for the last instants of the calendar too, which are in the year 10000 east of UTC', () => {
    expect(wallAt(Date.parse('9999-12-31T23:59:00Z'), 'Asia/Tokyo').isSecond).toBe(false);
    expect(offsetNote(Date.parse('9999-12-31T23:59:00Z'), 'Asia/Tokyo')).toBe('');
  });

  it('of a slot stay the same across a clock change', () => {
    const slots = [{ weekday: 0, time: '09:00' }];
    const found = slotInstants(slots, 'Europe/Paris', Date.parse('2026-03-21'), Date.parse('2026-04-01'));
    expect(found.map((instant) => new Date(instant).toISOString())).toEqual([
      '2026-03-22T08:00:00.000Z',
      '2026-03-29T07:00:00.000Z',
    ]);
  });
});

describe('days of the console', () => {
  it('of a month fill whole weeks from Monday to Sunday', () => {
    const days = monthOf('2026-02-14');
    expect([days.at(0), days.at(-1), days.length]).toEqual(['2026-01-26', '2026-03-01', 35]);
  });

  it('keep within the month when months have fewer days', () => {
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28');
    expect(addMonths('2026-03-31', -1)).toBe('2026-02-28');
    expect([isDay('2026-02-29'), isDay('2026-02-28'), isDay('soon')]).toEqual([false, true, false]);
  });

  it('have months before and after them at both ends of the calendar', () => {
    const days = ['0000-01-01', '0099-12-31', '1000-01-01', '9998-12-31', '9999-12-31'].filter(isDay);
    expect(days.map((day) => [addMonths(day, -1), monthOf(day).at(0), monthOf(day).at(-1), addMonths(day, 1)])).toEqual(
      [
        ['0999-12-01', '0999-12-30', '1000-02-02', '1000-02-01'],
        ['9998-11-30', '9998-11-30', '9999-01-03', '9999-01-31'],
      ],
    );
  });
});
