/** How the console keeps calendars true: what events tell is patched, the rest is read again, at a limited rate. */
import { type InfiniteData, InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { applyEvents, type LiveCache } from '../../console/app/data/live/apply-event.ts';
import { type CalendarPost, changedRow, refreshCalendars } from '../../console/app/data/live/calendar-cache.ts';

const RANGE = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-30T23:59:59.999Z' };
const NOON = '2026-11-21T12:00:00.000Z';
const LATER = '2026-11-24T09:00:00.000Z';
const NEXT_MONTH = '2026-12-24T09:00:00.000Z';

function row(fields: Partial<CalendarPost> = {}): CalendarPost {
  return {
    id: 'a',
    text: 'Ding',
    status: 'scheduled',
    at: NOON,
    scheduledFor: NOON,
    sentAt: null,
    connectionId: 'c',
    connectionSlug: 'bells',
    platformId: 'sandbox',
    profileId: null,
    queued: true,
    tags: [],
    error: null,
    ...fields,
  };
}

describe('a row after a change', () => {
  it('stands at the time of sending, of the schedule, or where it stood', () => {
    const sent = changedRow(row(), { status: 'sent', sentAt: LATER });
    const moved = changedRow(row(), { scheduledFor: LATER });
    const retried = changedRow(row({ status: 'failed', scheduledFor: null }), { status: 'processing' });

    expect(sent).toEqual(row({ status: 'sent', sentAt: LATER, at: LATER }));
    expect(moved).toEqual(row({ scheduledFor: LATER, at: LATER }));
    expect(retried).toEqual(row({ status: 'processing', scheduledFor: null }));
  });

  it.each(['cancelled', 'deleted', 'draft'] as const)('is gone when the post is %s', (status) => {
    expect(changedRow(row(), { status })).toBeNull();
  });
});

/** The cache of a console whose screen shows a calendar with these pages. */
function calendar(...pages: readonly (readonly CalendarPost[])[]) {
  const reads: string[] = [];
  const answer = (path: string, result: unknown) => {
    reads.push(path);
    return Promise.resolve(result);
  };
  const api = {
    posts: {
      get: {
        query: ({ postId }: { postId: string }) =>
          answer(`get ${postId}`, { post: row({ id: postId, tags: ['new'] }) }),
      },
      list: { query: () => answer('list', { posts: [], nextCursor: null }) },
    },
  } as unknown as LiveCache['api'];
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const trpc: LiveCache['trpc'] = createTRPCOptionsProxy({ client: api, queryClient });
  const queryKey = trpc.posts.calendar.infiniteQueryKey({ ...RANGE, limit: 500 });
  let read = 0;
  const observer = new InfiniteQueryObserver(queryClient, {
    queryKey,
    queryFn: async () => {
      reads.push('page');
      return { posts: [...(pages[read++ % pages.length] ?? [])], nextCursor: null };
    },
    initialPageParam: null,
    getNextPageParam: (_page, all) => (all.length < pages.length ? 'next' : null),
    initialData: {
      pages: pages.map((posts) => ({ posts: [...posts], nextCursor: null })),
      pageParams: pages.map(() => null),
    },
    staleTime: Infinity,
  });
  onTestFinished(observer.subscribe(() => undefined));
  onTestFinished(() => queryClient.clear());
  return {
    reads,
    apply: (event: string, body: object) =>
      applyEvents({ queryClient, trpc, api }, [{ event, id: undefined, data: JSON.stringify(body) }]),
    refresh: () => refreshCalendars(queryClient, trpc),
    rows: () =>
      queryClient.getQueryData<InfiniteData<{ posts: CalendarPost[] }>>(queryKey)?.pages.map(({ posts }) => posts) ??
      [],
  };
}

describe('an event of a post that the calendar has', () => {
  it('patches its row on any page, and reads nothing', async () => {
    const { apply, rows, reads } = calendar([row({ id: 'b' })], [row({ id: 'a' })]);

    await apply('post.sent', {
      timestamp: LATER,
      post: { id: 'a', status: 'sent', text: 'Dong', scheduledFor: NOON, createdAt: NOON, tags: ['x'], error: null },
    });

    expect(rows()).toEqual([
      [row({ id: 'b' })],
      [row({ status: 'sent', text: 'Dong', tags: ['x'], sentAt: LATER, at: LATER })],
    ]);
    expect(reads).toEqual([]);
  });

  it('removes its row when it was taken down', async () => {
    const { apply, rows, reads } = calendar([row({ status: 'sent' })]);

    await apply('post.deleted', { timestamp: LATER, post: { id: 'a', deletedAt: LATER } });

    expect([rows(), reads]).toEqual([[[]], []]);
  });

  it('moves its row at once, and reads again whether it is still queued', async () => {
    const { apply, rows, reads } = calendar([row({ queued: true })]);

    const applied = apply('post.rescheduled', { timestamp: NOON, post: { id: 'a', scheduledFor: LATER } });

    expect(rows()).toEqual([[row({ scheduledFor: LATER, at: LATER })]]);
    await applied;
    expect(reads).toEqual(['page']);
  });
});

describe('an event of another post', () => {
  it.each([
    ['went out on the days of the calendar', 'post.sent', { timestamp: LATER }, { id: 'z' }],
    ['failed on these days', 'post.failed', { timestamp: LATER }, { id: 'z', scheduledFor: null, createdAt: NOON }],
    ['was moved into them', 'post.rescheduled', { timestamp: NOON }, { id: 'z', scheduledFor: LATER }],
  ])('that %s reads the calendar again', async (_what, event, body, post) => {
    const { apply, reads } = calendar([row()]);

    await apply(event, { ...body, post });

    expect(reads).toEqual(['page']);
  });

  it.each([
    ['went out in another month', 'post.sent', { timestamp: NEXT_MONTH }, { id: 'z' }],
    ['was moved into another month', 'post.rescheduled', { timestamp: NOON }, { id: 'z', scheduledFor: NEXT_MONTH }],
    ['was taken down', 'post.deleted', { timestamp: NOON }, { id: 'z', deletedAt: NOON }],
    ['was measured', 'post.metrics', { timestamp: NOON }, { id: 'z' }],
  ])('that %s reads nothing', async (_what, event, body, post) => {
    const { apply, reads } = calendar([row()]);

    await apply(event, { ...body, post });

    expect(reads).toEqual([]);
  });
});

describe('a completed change', () => {
  it('that may bring a new row reads the calendar again', async () => {
    const { apply, reads } = calendar([row()]);

    await apply('change', { operation: 'posts.create', objectType: 'post', objectIds: ['z'] });

    expect(reads).toEqual(['page']);
  });

  it('of a post that it has reads that post, and others nothing', async () => {
    const { apply, rows, reads } = calendar([row({ id: 'a' }), row({ id: 'b' })]);

    await apply('change', { operation: 'posts.delete', objectType: 'post', objectIds: ['a', 'z'] });

    expect(reads).toEqual(['get a']);
    expect(rows()).toEqual([[row({ id: 'a', tags: ['new'] }), row({ id: 'b' })]]);
  });
});

describe('reading calendars again', () => {
  afterEach(() => void vi.useRealTimers());

  it('happens at once, and again only after a rest of two seconds a page, however often it is asked for', async () => {
    vi.useFakeTimers();
    const { refresh, reads } = calendar([row({ id: 'a' })], [row({ id: 'b' })]);
    const readsAfter = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return reads.length;
    };

    refresh();
    expect(await readsAfter(1)).toBe(2);
    for (let count = 0; count < 100; count += 1) refresh();
    expect(await readsAfter(3_900)).toBe(2);
    expect(await readsAfter(200)).toBe(4);
    expect(await readsAfter(60_000)).toBe(4);
    refresh();
    expect(await readsAfter(1)).toBe(6);
  });
});
