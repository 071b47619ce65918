/** The filters of the console's list of posts. */
import { expect, it } from 'vitest';
import { filterOf, readPostsSearch } from '../../console/app/views/posts/search.ts';

it('the days of the filters are whole days on the clock of the browser', () => {
  const search = readPostsSearch({ from: '2026-11-21', to: '2026-11-22', status: 'sent' });

  expect(search).toEqual({ from: '2026-11-21', to: '2026-11-22', status: 'sent' });
  expect(filterOf(search)).toEqual({
    status: 'sent',
    from: new Date(2026, 10, 21).toISOString(),
    to: new Date(2026, 10, 22, 23, 59, 59, 999).toISOString(),
  });
});

it('a day that is none is left out', () => {
  expect(readPostsSearch({ from: 'yesterday', to: '21.11.2026' })).toEqual({});
});
