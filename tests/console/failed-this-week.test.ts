/** The failures that Today shows. */
import { expect, it } from 'vitest';
import { failedFilter, failedThisWeek } from '../../console/app/views/today/failed-this-week.ts';

type Post = Parameters<typeof failedThisWeek>[0][number];

const NOW = Date.parse('2026-11-22T12:00:00.000Z');
const daysAgo = (days: number) => new Date(NOW - days * 86_400_000).toISOString();

const failed = (id: string, fields: Partial<Post>): Post =>
  ({ id, status: 'failed', scheduledFor: null, createdAt: daysAgo(1), ...fields }) as Post;

const idsOf = (posts: readonly Post[]) => posts.map(({ id }) => id);

it('the failures of a week have posts that were scheduled long before, and not those that failed earlier', () => {
  const posts = [
    failed('at once', {}),
    failed('scheduled', { createdAt: daysAgo(31), scheduledFor: daysAgo(1) }),
    failed('at once, earlier', { createdAt: daysAgo(8) }),
    failed('scheduled, earlier', { createdAt: daysAgo(31), scheduledFor: daysAgo(8) }),
    failed('sent again', { status: 'sent' }),
  ];

  expect(idsOf(failedThisWeek(posts, NOW))).toEqual(['at once', 'scheduled']);
  expect(failedFilter(NOW)).toEqual({ status: 'failed', from: '2026-10-16', limit: 100 });
});

it('at most ten failures are shown', () => {
  const posts = Array.from({ length: 12 }, (_, index) => failed(`${index}`, {}));

  expect(failedThisWeek(posts, NOW)).toHaveLength(10);
});
