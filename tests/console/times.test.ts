/** Words of the console for instants. */
import { describe, expect, it } from 'vitest';
import { exactTime, relativeTime } from '../../console/app/ui/times.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const after = (seconds: number) => relativeTime(new Date(NOW + 1_000 * seconds).toISOString(), NOW);

describe('the words for an instant', () => {
  it('do not put an instant into the future that is past but newer than the present of the page', () => {
    expect([after(5), after(20), after(29)]).toEqual(['now', 'now', 'now']);
  });

  it('tell the past minute from the coming one', () => {
    expect([after(-50), after(-1), after(45)]).toEqual(['just now', 'just now', 'in less than a minute']);
  });

  it('count minutes, hours and days', () => {
    expect([after(300), after(-7_200), after(86_400)]).toEqual(['in 5 minutes', '2 hours ago', 'tomorrow']);
  });

  it.each([
    ['in 23 hours', { day: 23, hour: 1 }, { day: 24, hour: 0 }],
    ['tomorrow', { day: 23, hour: 0 }, { day: 24, hour: 23 }],
    ['in 2 days', { day: 23, hour: 23 }, { day: 25, hour: 1 }],
    ['yesterday', { day: 24, hour: 23 }, { day: 23, hour: 0 }],
    ['2 days ago', { day: 23, hour: 8 }, { day: 21, hour: 21 }],
  ])('name days by their date: %s', (words, now, then) => {
    const instant = new Date(2026, 10, then.day, then.hour).toISOString();

    expect(relativeTime(instant, new Date(2026, 10, now.day, now.hour).getTime())).toBe(words);
  });

  it('name the last instants of the calendar too, which may be in the year 10000', () => {
    expect(exactTime('9999-12-31T23:59:59.999Z')).toContain(':59:59');
  });
});
