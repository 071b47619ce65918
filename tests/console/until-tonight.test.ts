/** How long the posts may go out that an owner lets out for today. */
import { expect, it } from 'vitest';
import { untilTonight } from '../../console/app/views/approvals/until-tonight.ts';

// Past dates, because a new time zone database does not change them.
it.each([
  ['Europe/Paris', '2026-11-22T12:00:00Z', '2026-11-22T22:59:59.999Z'],
  // Today's last hour is skipped.
  ['America/Nuuk', '2024-03-30T20:00:00Z', '2024-03-31T00:59:59.999Z'],
  // Clocks show today's last hour twice.
  ['Africa/Cairo', '2024-10-31T12:00:00Z', '2024-10-31T21:59:59.999Z'],
  // Tomorrow begins at 01:00.
  ['America/Santiago', '2024-09-07T20:00:00Z', '2024-09-08T03:59:59.999Z'],
])('is the end of the day in %s at %s', (zone, now, until) => {
  expect(untilTonight(Date.parse(now), zone)).toEqual({ until });
});

it('is never longer than the service takes: a day of 25 hours is left to it', () => {
  const midnight = Date.parse('2026-10-24T22:00:00Z');
  const hours = (count: number) => untilTonight(midnight + count * 3_600_000, 'Europe/Paris');

  expect([hours(0), hours(0.9), hours(1)]).toEqual([{}, {}, { until: '2026-10-25T22:59:59.999Z' }]);
});
