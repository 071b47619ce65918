/** How the console's lists stay true when posts change while lists are being read. */
import { type InfiniteData, InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { applyEvents, refreshAll, type LiveCache } from '../../console/app/data/live/apply-event.ts';
import { refreshPostLists } from '../../console/app/data/live/post-cache.ts';

type Kind = 'list' | 'calendar' | 'activity';
type Row = { readonly id: string; readonly status: string };
type Pages = InfiniteData<{ readonly posts: readonly Row[]; readonly nextCursor: string | null }>;

const NOON = '2026-11-21T12:00:00.000Z';
const RANGE = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-30T23:59:59.999Z' };

/** A row that is scheduled for noon. */
const row = (id: string): Row => ({ id, status: 'scheduled', at: NOON, scheduledFor: NOON, sentAt: null }) as Row;

/** Reads of a page, each of which waits for its answer. */
function reads() {
  const waiting: ((rows: readonly Row[] | Promise<never>) => void)[] = [];
  let count = 0;
  return {
    count: () => count,
    read: async () => {
      count += 1;
      const rows = await new Promise<readonly Row[]>((resolve) => void waiting.push(resolve));
      return { posts: [...rows], nextCursor: 'next' } as never;
    },
    fail: async () => {
      await expect.poll(() => waiting.length).toBe(1);
      waiting.shift()?.(Promise.reject(new Error('No answer.')));
    },
    answer: async (...ids: string[]) => {
      await expect.poll(() => waiting.length).toBe(1);
      waiting.shift()?.(ids.map(row));
    },
  };
}

/** A console with an endless list of posts or changes, or a calendar, whose first page has a post; reads are answered when the test says so. */
function screen(kind: Kind) {
  const [newest, pages] = [reads(), reads()];
  const api = { posts: { list: { query: newest.read } } } as unknown as LiveCache['api'];
  const queryClient = new QueryClient();
  onTestFinished(() => queryClient.clear());
  const trpc: LiveCache['trpc'] = createTRPCOptionsProxy({ client: api, queryClient });
  const keys: Readonly<Record<Kind, readonly unknown[]>> = {
    list: trpc.posts.list.infiniteQueryKey({ limit: 100 }),
    calendar: trpc.posts.calendar.infiniteQueryKey({ ...RANGE, limit: 500 }),
    activity: trpc.audit.list.infiniteQueryKey({ limit: 50 }),
  };
  const queryKey = keys[kind];
  const observer = new InfiniteQueryObserver(queryClient, {
    queryKey,
    queryFn: pages.read,
    initialPageParam: null,
    getNextPageParam: () => 'next',
    initialData: { pages: [{ posts: [row('b')], nextCursor: 'next' } as never], pageParams: [null] },
    staleTime: Infinity,
  });
  return {
    queryClient,
    trpc,
    show: () => observer.subscribe(() => undefined),
    refreshAll: () => refreshAll({ queryClient }),
    pageCount: () => queryClient.getQueryData<Pages>(queryKey)?.pages.length,
    setPages: (count: number) =>
      queryClient.setQueryData<Pages>(queryKey, {
        pages: Array.from({ length: count }, (_, index) => ({ posts: [row(`old ${index}`)], nextCursor: 'next' })),
        pageParams: Array.from({ length: count }, () => null),
      }),
    refresh: () => refreshPostLists(queryClient, trpc, api),
    fetchNextPage: () => observer.fetchNextPage(),
    isStale: () => queryClient.getQueryState(queryKey)?.isInvalidated,
    send: (id: string) =>
      applyEvents({ queryClient, trpc, api }, [
        { event: 'post.sent', id: undefined, data: JSON.stringify({ timestamp: NOON, post: { id, status: 'sent' } }) },
      ]),
    change: (...operations: readonly string[]) =>
      applyEvents(
        { queryClient, trpc, api },
        operations.map((operation) => {
          return { event: 'change', id: undefined, data: JSON.stringify({ operation, objectIds: [] }) };
        }),
      ),
    readCounts: () => ({ newest: newest.count(), pages: pages.count() }),
    answerPage: pages.answer,
    answerNewest: newest.answer,
    failNewest: newest.fail,
    shown: () =>
      queryClient
        .getQueryData<Pages>(queryKey)
        ?.pages.map(({ posts }) => posts.map(({ id, status }) => `${id} ${status}`).join(', ')),
  };
}

describe.each(['list', 'calendar'] as const)('a post of the %s that goes out', (kind) => {
  it('while the next page is read stays sent when the page is there', async () => {
    const { show, send, fetchNextPage, answerPage, shown } = screen(kind);
    onTestFinished(show());
    const fetched = fetchNextPage();

    await send('b');
    await answerPage('a');
    await fetched;

    await expect.poll(shown).toEqual(['b sent', 'a scheduled']);
  });

  it('does not make an unseen one fresh that must be read again', async () => {
    const { queryClient, trpc, isStale, send } = screen(kind);
    await queryClient.invalidateQueries({ ...trpc.posts[kind].pathFilter(), refetchType: 'none' });

    await send('b');

    expect(isStale()).toBe(true);
  });
});

describe('the newest page of an endless list', () => {
  it('does not put back what posts were before they changed during its read', async () => {
    const { show, send, refresh, answerNewest, shown } = screen('list');
    onTestFinished(show());
    const refreshed = refresh();

    await send('b');
    await answerNewest('c', 'b');
    await refreshed;

    expect(shown()).toEqual(['c scheduled, b sent']);
  });

  it('stays on top when it is read while the next page is', async () => {
    const { show, refresh, fetchNextPage, answerPage, answerNewest, shown } = screen('list');
    onTestFinished(show());
    const fetched = fetchNextPage();
    const refreshed = refresh();

    await answerNewest('c', 'b');
    await refreshed;
    await answerPage('a');
    await fetched;

    await expect.poll(shown).toEqual(['c scheduled, b scheduled', 'a scheduled']);
  });
});

it('a list that is not shown is read again when it is, also when the one that is shown could not be read', async () => {
  const { queryClient, trpc, show, refresh, failNewest } = screen('list');
  onTestFinished(show());
  const hidden = trpc.posts.list.queryKey({ status: 'draft' });
  queryClient.setQueryData(hidden, { posts: [], limit: 50, offset: 0, nextCursor: null });

  const refreshed = refresh();
  await failNewest();

  await expect(refreshed).rejects.toThrow('No answer.');
  expect(queryClient.getQueryState(hidden)?.isInvalidated).toBe(true);
});

describe('an endless list after a gap in the stream of events', () => {
  it('has every page as it is now, and what came while they were read', async () => {
    const { show, setPages, refreshAll: refreshEach, refresh, answerPage, answerNewest, shown } = screen('list');
    onTestFinished(show());
    setPages(2);
    const refreshed = refreshEach();

    await answerPage('b');
    const newest = refresh();
    await answerNewest('c', 'b');
    await newest;
    await answerPage('a');
    await refreshed;

    await expect.poll(shown).toEqual(['c scheduled, b scheduled', 'a scheduled']);
  });

  it('has at most 20 pages, so that reading them leaves requests to the person', async () => {
    const { show, setPages, refreshAll: refreshEach, pageCount } = screen('list');
    onTestFinished(show());
    setPages(30);

    void refreshEach();

    expect(pageCount()).toBe(20);
  });

  it.each(['list', 'activity'] as const)('is read once, and rests when the next gap comes (%s)', async (kind) => {
    const { show, setPages, refreshAll: refreshEach, answerPage, readCounts, isStale } = screen(kind);
    onTestFinished(show());
    setPages(2);

    void refreshEach();
    await answerPage('b');
    await answerPage('a');
    await expect.poll(isStale).toBe(false);
    await refreshEach();

    expect([readCounts(), isStale()]).toEqual([{ newest: 0, pages: 2 }, true]);
  });
});

describe('the endless list of activity', () => {
  it('reads each page again after a change, and rests when the next one comes', async () => {
    const { show, setPages, change, answerPage, readCounts, isStale } = screen('activity');
    onTestFinished(show());
    setPages(2);

    await change('connections.update');
    await answerPage('b');
    await answerPage('a');
    await expect.poll(isStale).toBe(false);
    await change('profiles.update');

    expect([readCounts(), isStale()]).toEqual([{ newest: 0, pages: 2 }, true]);
  });

  it('has at most 20 pages after a change, so that reading them leaves requests to the person', async () => {
    const { show, setPages, change, pageCount } = screen('activity');
    onTestFinished(show());
    setPages(30);

    await change('connections.update');

    expect(pageCount()).toBe(20);
  });
});

it('an endless list of posts reads its newest page only after a decision, which names its post', async () => {
  const { show, setPages, change, answerNewest, readCounts } = screen('list');
  onTestFinished(show());
  setPages(3);

  const changed = change('approvals.approve');
  await answerNewest('old 0');
  await changed;

  expect(readCounts()).toEqual({ newest: 1, pages: 0 });
});

describe('an endless list of posts that rests', () => {
  it('reads its newest page when new posts come with the next change', async () => {
    const { show, setPages, change, answerPage, answerNewest, readCounts, shown } = screen('list');
    onTestFinished(show());
    setPages(1);
    await change('stops.start');
    await answerPage('b');
    await expect.poll(shown).toEqual(['b scheduled']);

    const changed = change('stops.release', 'posts.create');
    await answerNewest('c', 'b');
    await changed;

    expect([shown(), readCounts()]).toEqual([['c scheduled, b scheduled'], { newest: 1, pages: 1 }]);
  });

  it('has at most 20 pages when it is read again, although it grew meanwhile', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { show, setPages, change, answerPage, pageCount } = screen('list');
    onTestFinished(show());
    setPages(1);
    await change('stops.start');
    await answerPage('b');
    await vi.advanceTimersByTimeAsync(1);
    await change('stops.release');
    setPages(30);

    await vi.advanceTimersByTimeAsync(2_000);

    expect(pageCount()).toBe(20);
  });
});

describe.each(['keys.revoke', 'profiles.delete', 'stops.start', 'stops.release'])('after %s', (operation) => {
  it('an endless list of posts reads each page again, and rests when the next change comes', async () => {
    const { show, setPages, change, answerPage, readCounts, shown } = screen('list');
    onTestFinished(show());
    setPages(2);

    await change(operation);
    await answerPage('b');
    await answerPage('a');
    await expect.poll(shown).toEqual(['b scheduled', 'a scheduled']);
    await change(operation);

    expect(readCounts()).toEqual({ newest: 0, pages: 2 });
  });
});

describe.each(['approvals.approve', 'keys.revoke', 'profiles.delete', 'stops.start'])('after %s', (operation) => {
  it('a calendar is read once, and rests when the next change comes', async () => {
    const { show, change, answerPage, readCounts, shown } = screen('calendar');
    onTestFinished(show());

    await change(operation);
    await answerPage('c');
    await expect.poll(shown).toEqual(['c scheduled']);
    await change(operation);

    expect(readCounts()).toEqual({ newest: 0, pages: 1 });
  });
});
