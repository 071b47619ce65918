/** The filters of the console's list of posts. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { filterOf as activityFilterOf } from '../../console/app/views/activity/search.ts';
import { filterOf, readPostsSearch } from '../../console/app/views/posts/search.ts';
import { momentInput } from '../../routers/schemas/common.ts';

it('the days of the filters are whole days on the clock of the browser', () => {
  const search = readPostsSearch({ from: '2026-11-21', to: '2026-11-22', status: 'sent' });

  expect(search).toEqual({ from: '2026-11-21', to: '2026-11-22', status: 'sent' });
  expect(filterOf(search)).toEqual({
    status: 'sent',
    from: new Date(2026, 10, 21).toISOString(),
    to: new Date(2026, 10, 22, 23, 59, 59, 999).toISOString(),
  });
});

it.each([
  ['America/Los_Angeles', 480],
  ['UTC', 0],
  ['Pacific/Kiritimati', -840],
])('the service takes the last day of the calendar, with the clock of %s', (zone, minutesBehind) => {
  vi.stubEnv('TZ', zone);
  onTestFinished(() => void vi.unstubAllEnvs());
  const day = '9999-12-31';

  const moments = [filterOf({ from: day }).from, filterOf({ to: day }).to, activityFilterOf({ to: day }).until];

  expect(new Date(9999, 11, 31).getTimezoneOffset()).toBe(minutesBehind);
  expect(moments.map((moment) => momentInput('').safeParse(moment).success)).toEqual([true, true, true]);
});

it('a day that is none is left out', () => {
  expect(readPostsSearch({ from: 'yesterday', to: '21.11.2026' })).toEqual({});
});
