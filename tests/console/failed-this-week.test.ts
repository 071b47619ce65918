/** The failures that Today shows. */
import { expect, it } from 'vitest';
import {
  failedFilter,
  failedThisWeek,
  type Failure,
  type Retried,
  undatedFailures,
} from '../../console/app/views/today/failed-this-week.ts';

type Post = Parameters<typeof failedThisWeek>[0][number];

const NOW = Date.parse('2026-11-22T12:00:00.000Z');
const daysAgo = (days: number) => new Date(NOW - days * 86_400_000).toISOString();

const failed = (id: string, fields: Partial<Post>): Post =>
  ({ id, status: 'failed', scheduledFor: null, createdAt: daysAgo(1), ...fields }) as Post;

const idsOf = (failures: readonly Failure[]) => failures.map(({ post: { id } }) => id);

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

it('the failures of a week have posts that were scheduled long before, and not those that failed earlier', () => {
  const posts = [
    failed('at once', {}),
    failed('scheduled', { createdAt: daysAgo(31), scheduledFor: daysAgo(1) }),
    failed('at once, earlier', { createdAt: daysAgo(8) }),
    failed('scheduled, earlier', { createdAt: daysAgo(31), scheduledFor: daysAgo(8) }),
    failed('sent again', { status: 'sent' }),
  ];

  expect(idsOf(failedThisWeek(posts, NOW, NONE, NONE))).toEqual(['at once', 'scheduled']);
  expect(failedFilter(NOW)).toEqual({ status: 'failed', from: '2026-10-16', limit: 100 });
});

it('at most ten failures are shown', () => {
  const posts = Array.from({ length: 12 }, (_, index) => failed(`${index}`, {}));

  expect(failedThisWeek(posts, NOW, NONE, NONE)).toHaveLength(10);
});

it('a post of weeks ago that is sent at once and fails is listed by its attempt, the latest failure first', () => {
  const posts = [
    failed('yesterday', {}),
    failed('now', { createdAt: daysAgo(31) }),
    failed('earlier', { createdAt: daysAgo(32) }),
    failed('unknown', { createdAt: daysAgo(33) }),
  ];
  const attempted = new Map([
    ['now', daysAgo(0)],
    ['earlier', daysAgo(8)],
  ]);

  expect(undatedFailures(posts, NOW).map(({ id }) => id)).toEqual(['now', 'earlier', 'unknown']);
  expect(idsOf(failedThisWeek(posts, NOW, attempted, NONE))).toEqual(['now', 'yesterday']);
});

it('a post that is retried keeps its place while it is sent and while it is failed, and leaves when it is sent', () => {
  const one = failed('one', { createdAt: daysAgo(20), scheduledFor: daysAgo(1) });
  const posts = [failed('two', { createdAt: daysAgo(2) })];
  const shown = (list: readonly Post[], isPending: boolean) => {
    const retried: Retried = { post: one, at: NOW - 86_400_000, isPending };
    return idsOf(failedThisWeek(list, NOW, NONE, new Map([['one', retried]])));
  };

  expect(shown(posts, true)).toEqual(['one', 'two']);
  expect(shown([...posts, { ...one, scheduledFor: null }], false)).toEqual(['one', 'two']);
  expect(shown(posts, false)).toEqual(['two']);
});
