/** How events keep the console's lists true: those of posts of one status too, which a post joins and leaves. */
import { type InfiniteData, InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applyEvents, type LiveCache } from '../../console/app/data/live/apply-event.ts';

type Status = 'scheduled' | 'failed' | 'sent';
type Row = { readonly id: string; readonly status: Status };

/** A console that shows lists of posts; `lists` has the rows of each filter. */
function screen(lists: readonly { readonly status?: Status; readonly rows: readonly Row[] }[]) {
  const reads: string[] = [];
  const api = {} as unknown as LiveCache['api'];
  const queryClient = new QueryClient();
  onTestFinished(() => queryClient.clear());
  const trpc: LiveCache['trpc'] = createTRPCOptionsProxy({ client: api, queryClient });
  for (const { status, rows } of lists) {
    const page = { posts: rows, nextCursor: null };
    const observer = new QueryObserver(queryClient, {
      queryKey: trpc.posts.list.queryKey(status === undefined ? {} : { status }),
      queryFn: async () => {
        reads.push(status ?? 'all');
        return page as never;
      },
      initialData: page as never,
      staleTime: Infinity,
    });
    onTestFinished(observer.subscribe(() => undefined));
  }
  const apply = (event: string, post: Partial<Row>) =>
    applyEvents({ queryClient, trpc, api }, [
      { event, id: undefined, data: JSON.stringify({ timestamp: '2026-11-21T12:00:00.000Z', post }) },
    ]);
  return { reads, apply };
}

describe('an event of a post that another list has', () => {
  it('reads the lists again when it joins a list of one status', async () => {
    const { apply, reads } = screen([{ rows: [{ id: 'a', status: 'scheduled' }] }, { status: 'failed', rows: [] }]);

    await apply('post.failed', { id: 'a', status: 'failed' });

    expect(reads).toContain('failed');
  });

  it('reads the lists again when it leaves a list of one status', async () => {
    const { apply, reads } = screen([{ status: 'scheduled', rows: [{ id: 'a', status: 'scheduled' }] }]);

    await apply('post.sent', { id: 'a', status: 'sent' });

    expect(reads).toEqual(['scheduled']);
  });

  it('reads nothing when each list has what belongs into it', async () => {
    const { apply, reads } = screen([
      { rows: [{ id: 'a', status: 'scheduled' }] },
      { status: 'failed', rows: [{ id: 'b', status: 'failed' }] },
    ]);

    await apply('post.sent', { id: 'a', status: 'sent' });

    expect(reads).toEqual([]);
  });
});

describe('a draft that is deleted elsewhere', () => {
  /** A console with an old page of drafts, and the page of one of them. */
  function draftScreen() {
    const reads: string[] = [];
    const newest = { posts: [{ id: 'z', status: 'draft' }], nextCursor: 'y' };
    const api = { posts: { list: { query: async () => newest } } } as unknown as LiveCache['api'];
    const queryClient = new QueryClient();
    onTestFinished(() => queryClient.clear());
    const trpc: LiveCache['trpc'] = createTRPCOptionsProxy({ client: api, queryClient });
    const listKey = trpc.posts.list.infiniteQueryKey({ limit: 100 });
    const pages = [
      newest,
      {
        posts: [
          { id: 'b', status: 'draft' },
          { id: 'a', status: 'draft' },
        ],
        nextCursor: null,
      },
    ];
    const list = new InfiniteQueryObserver(queryClient, {
      queryKey: listKey as readonly unknown[],
      queryFn: async () => newest as never,
      initialPageParam: null,
      getNextPageParam: () => null,
      initialData: { pages: pages as never[], pageParams: [null, 'y'] },
      staleTime: Infinity,
    });
    const detail = new QueryObserver(queryClient, {
      queryKey: trpc.posts.get.queryKey({ postId: 'b' }),
      queryFn: async () => {
        reads.push('b');
        throw new Error('It is gone.');
      },
      initialData: { post: { id: 'b', status: 'draft', approval: null } } as never,
      staleTime: Infinity,
      retry: false,
    });
    for (const observer of [list, detail]) onTestFinished(observer.subscribe(() => undefined));
    const change = (operation: string, ...objectIds: string[]) =>
      applyEvents({ queryClient, trpc, api }, [
        { event: 'change', id: undefined, data: JSON.stringify({ operation, objectIds }) },
      ]);
    const listed = () =>
      queryClient
        .getQueryData<InfiniteData<{ posts: Row[] }>>(listKey)
        ?.pages.flatMap(({ posts }) => posts.map(({ id }) => id));
    return { reads, change, listed };
  }

  it('leaves an older page of a list too, and its page asks for it again', async () => {
    const { reads, change, listed } = draftScreen();

    await change('posts.delete', 'b');

    expect(listed()).toEqual(['z', 'a']);
    expect(reads).toEqual(['b']);
  });

  it('is asked for again on its page when a save that does not name it may have replaced it', async () => {
    const { reads, change } = draftScreen();

    await change('posts.create', 'z');

    expect(reads).toEqual(['b']);
  });
});

it('a post below the newest page shows what a decision has made of it', async () => {
  const post = (status: string) => ({ id: 'a', status, tags: [], text: 'A' });
  const newest = { posts: [{ id: 'z', status: 'sent' }], nextCursor: 'y' };
  const api = {
    posts: { list: { query: async () => newest }, get: { query: async () => ({ post: post('scheduled') }) } },
  } as unknown as LiveCache['api'];
  const queryClient = new QueryClient();
  onTestFinished(() => queryClient.clear());
  const trpc: LiveCache['trpc'] = createTRPCOptionsProxy({ client: api, queryClient });
  const listKey = trpc.posts.list.infiniteQueryKey({ limit: 100 });
  queryClient.setQueryData(listKey as readonly unknown[], {
    pages: [newest, { posts: [post('draft')], nextCursor: null }],
    pageParams: [null, 'y'],
  });

  await applyEvents({ queryClient, trpc, api }, [
    { event: 'change', id: undefined, data: JSON.stringify({ operation: 'approvals.approve', objectIds: ['a'] }) },
  ]);

  const listed = queryClient.getQueryData<InfiniteData<{ posts: Row[] }>>(listKey);
  expect(listed?.pages.map(({ posts }) => posts.map(({ id, status }) => `${id} ${status}`))).toEqual([
    ['z sent'],
    ['a scheduled'],
  ]);
});

/** A console that has read a part of every view. */
function viewsScreen() {
  const api = {} as unknown as LiveCache['api'];
  const queryClient = new QueryClient();
  onTestFinished(() => queryClient.clear());
  const trpc: LiveCache['trpc'] = createTRPCOptionsProxy({ client: api, queryClient });
  const shown: Readonly<Record<string, readonly unknown[]>> = {
    approvals: trpc.approvals.list.queryKey({ limit: 10 }),
    audit: trpc.audit.list.queryKey({}),
    calendars: trpc.calendars.list.queryKey({}),
    connect: trpc.connect.get.queryKey({ connectSessionId: 'a' }),
    connections: trpc.connections.list.queryKey({}),
    feeds: trpc.feeds.list.queryKey({}),
    imports: trpc.imports.list.queryKey({}),
    keys: trpc.keys.list.queryKey({}),
    people: trpc.people.listGrants.queryKey(),
    policies: trpc.policies.list.queryKey({}),
    posts: trpc.posts.get.queryKey({ postId: 'a' }),
    profiles: trpc.profiles.list.queryKey({}),
    webhooks: trpc.webhooks.list.queryKey({}),
  };
  for (const queryKey of Object.values(shown)) queryClient.setQueryData(queryKey, {});
  return {
    send: (event: string, body: object) =>
      applyEvents({ queryClient, trpc, api }, [{ event, id: undefined, data: JSON.stringify(body) }]),
    readAgain: () =>
      Object.keys(shown).filter((name) => queryClient.getQueryState(shown[name] ?? [])?.isInvalidated === true),
  };
}

describe('what was made under a key, an agent, a person or a profile', () => {
  it.each<[string, readonly string[]]>([
    ['keys.revoke', []],
    ['keys.revokeOfProfile', []],
    ['oauth.revoke', []],
    ['oauth.replay', []],
    ['people.remove', []],
    ['people.leave', []],
    ['people.changeRole', []],
    ['profiles.delete', ['connect', 'connections', 'feeds', 'profiles']],
  ])('is read again after %s', async (operation, others) => {
    const { readAgain, send } = viewsScreen();

    await send('change', { operation, objectIds: [] });

    expect(readAgain()).toEqual(
      ['approvals', 'audit', 'calendars', 'keys', 'people', 'policies', 'posts', 'webhooks', ...others].toSorted(),
    );
  });

  it.each<[string, readonly string[]]>([
    ['keys.mint', ['audit', 'keys']],
    ['oauth.grant', ['audit', 'people', 'policies']],
    ['oauth.keepPolicy', ['audit', 'people', 'policies']],
    ['people.changeDigest', ['audit', 'people']],
    ['profiles.create', ['audit', 'profiles']],
    ['profiles.update', ['audit', 'people', 'profiles']],
  ])('is not read again after %s, which ends nothing', async (operation, names) => {
    const { readAgain, send } = viewsScreen();

    await send('change', { operation, objectIds: [] });

    expect(readAgain()).toEqual(names);
  });
});

describe('what a worker did', () => {
  it.each<[string, object, readonly string[]]>([
    ['webhook.disabled', { webhook: { id: 'a' } }, ['webhooks']],
    ['feed.disabled', { feed: { id: 'a' } }, ['feeds']],
    ['post.approval_requested', { post: { id: 'a' } }, ['approvals', 'posts']],
    ['post.approval_expired', { post: { id: 'a' } }, ['approvals', 'posts']],
    ['post.approved', { post: { id: 'a' } }, ['approvals', 'posts']],
    ['post.rejected', { post: { id: 'a' } }, ['approvals', 'posts']],
    ['post.failed', { post: { id: 'a', error: { code: 'reconnect_required' } } }, ['connections', 'posts']],
    ['post.failed', { post: { id: 'a', error: { code: 'platform_rejected' } } }, ['posts']],
  ])('is read again after %s: %j', async (event, body, names) => {
    const { readAgain, send } = viewsScreen();

    await send(event, body);

    expect(readAgain()).toEqual(names);
  });
});
