/** Keeps lists of posts in the cache true without reading every loaded page again. */
import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query';
import type { Api, Inputs, Outputs, Trpc } from '../api-types.ts';
import { type CalendarChanges, patchCalendars } from './calendar-cache.ts';
import { refreshAtRest } from './refresh-at-rest.ts';
import { afterRead, writeLists } from './write-lists.ts';

type Page = Outputs['posts']['list'];
export type Post = Page['posts'][number];
type Known = Page | InfiniteData<Page>;
type List = Known | undefined;

/** The row of a post in any list. */
export function findPost(queryClient: QueryClient, trpc: Trpc, id: string): Post | undefined {
  for (const [, list] of queryClient.getQueriesData<List>(trpc.posts.list.pathFilter())) {
    for (const { posts } of pagesOf(list)) {
      const row = posts.find((post) => post.id === id);
      if (row !== undefined) return row;
    }
  }
  return undefined;
}

/** Changes of a post. Only calendars show `sentAt`. */
export type PostChanges = Partial<Post> & Pick<CalendarChanges, 'sentAt'>;

/** The fields of a row that change. */
export function rowChanges(post: Post & Pick<CalendarChanges, 'sentAt'>): PostChanges {
  const { status, url, error, scheduledFor, deletedAt, text, tags, sentAt } = post;
  return { status, url, error, scheduledFor, deletedAt, text, tags, ...(sentAt !== undefined && { sentAt }) };
}

/** Writes known changes into the rows of a post, in lists and calendars. Returns whether any list has it. */
export function patchPost(
  queryClient: QueryClient,
  trpc: Trpc,
  id: string,
  { sentAt, ...changes }: PostChanges,
): boolean {
  patchCalendars(queryClient, trpc, id, { ...changes, ...(sentAt !== undefined && { sentAt }) });
  for (const noted of reading.get(queryClient) ?? []) noted.push({ id, changes });
  let isListed = false;
  writeLists<Known>(queryClient, trpc.posts.list.pathFilter(), (list) => {
    if (!hasPost(list, id)) return list;
    isListed = true;
    const patched = (page: Page) => withChange(page, { id, changes });
    return 'pages' in list ? { ...list, pages: list.pages.map(patched) } : patched(list);
  });
  return isListed;
}

/** Takes a post that no longer exists out of every list. */
export function dropPost(queryClient: QueryClient, trpc: Trpc, id: string): void {
  const without = (page: Page): Page => ({ ...page, posts: page.posts.filter((post) => post.id !== id) });
  writeLists<Known>(queryClient, trpc.posts.list.pathFilter(), (list) => {
    if (!hasPost(list, id)) return list;
    return 'pages' in list ? { ...list, pages: list.pages.map(without) } : without(list);
  });
}

function hasPost(list: List, id: string): boolean {
  return pagesOf(list).some(({ posts }) => posts.some((post) => post.id === id));
}

interface Change {
  readonly id: string;
  readonly changes: Partial<Post>;
}

/** What has changed since the reads of newest pages began that have no answer yet. */
const reading = new WeakMap<QueryClient, Set<Change[]>>();

function withChange(page: Page, { id, changes }: Change): Page {
  if (!page.posts.some((post) => post.id === id)) return page;
  return { ...page, posts: page.posts.map((post) => (post.id === id ? { ...post, ...changes } : post)) };
}

/** Reads the newest page of a list. What changes meanwhile is in it, too. */
async function readNewest(queryClient: QueryClient, api: Api, input?: Inputs['posts']['list']): Promise<Page> {
  const inProgress = reading.get(queryClient) ?? new Set();
  reading.set(queryClient, inProgress);
  const noted: Change[] = [];
  inProgress.add(noted);
  try {
    const newest = await api.posts.list.query({ ...input });
    return noted.reduce(withChange, newest);
  } finally {
    inProgress.delete(noted);
  }
}

/** Whether a list on the screen shows one status, and lacks a post that now has it or has one that no longer does. */
export function isMisplaced(queryClient: QueryClient, trpc: Trpc, id: string, status: Post['status']): boolean {
  const lists = queryClient.getQueryCache().findAll({ ...trpc.posts.list.pathFilter(), type: 'active' });
  return lists.some(({ queryKey, state }) => {
    const wanted = inputOf(queryKey)?.status;
    return wanted !== undefined && hasPost(state.data as List, id) !== (wanted === status);
  });
}

function pagesOf(list: List): readonly Page[] {
  if (list === undefined) return [];
  return 'pages' in list ? list.pages : [list];
}

function inputOf(queryKey: QueryKey): Inputs['posts']['list'] | undefined {
  const [, { input } = {}] = queryKey as [unknown, { input?: Inputs['posts']['list'] }?];
  return input;
}

/**
 * Reads every page of the lists of posts again, at a limited rate: what has changed is not known, and may be on any page.
 *
 * @returns whether they are read at once
 */
export function refreshPostPages(queryClient: QueryClient, trpc: Trpc): boolean {
  return refreshAtRest(queryClient, trpc.posts.list.pathFilter());
}

/**
 * Reads lists of posts again: short lists whole, of an endless list the newest page only. Its rows replace those with
 * the same id, and new ones come on top.
 */
export async function refreshPostLists(queryClient: QueryClient, trpc: Trpc, api: Api): Promise<void> {
  const lists = queryClient.getQueryCache().findAll({ ...trpc.posts.list.pathFilter(), type: 'active' });
  // First, because a read below may fail.
  void queryClient.invalidateQueries({ ...trpc.posts.list.pathFilter(), type: 'inactive', refetchType: 'none' });
  await Promise.all(
    lists.map(async (query) => {
      const { queryKey } = query;
      const data = query.state.data as List;
      if (data === undefined || !('pages' in data)) return queryClient.invalidateQueries({ queryKey, exact: true });
      const newest = await readNewest(queryClient, api, inputOf(queryKey));
      const write = () =>
        queryClient.setQueryData<InfiniteData<Page>>(queryKey, (list) => list && withNewest(list, newest));
      write();
      // A read of pages may have begun with the newest one as it was before.
      if (query.state.fetchStatus === 'fetching') afterRead(query, write);
    }),
  );
}

/** Puts the newest page on top of the loaded ones, without listing a post twice. */
export function withNewest(list: InfiniteData<Page>, newest: Page): InfiniteData<Page> {
  const [first, ...others] = list.pages;
  if (first === undefined) return list;
  const oldest = newest.posts.at(-1)?.id;
  const fresh = new Set(newest.posts.map(({ id }) => id));
  // Newer than the end of the newest page and not in it: it no longer belongs to this list.
  const gone = (post: Post) =>
    !fresh.has(post.id) && newest.nextCursor !== null && oldest !== undefined && post.id > oldest;
  const kept = (page: Page): Page => ({
    ...page,
    posts: page.posts.filter((post) => !fresh.has(post.id) && !gone(post)),
  });
  // When no row is known, posts between the newest page and the loaded ones may be missing. When none is left, the newest page
  // reaches further than the loaded ones. Paging begins anew.
  const isKnown = list.pages.some(({ posts }) => posts.some(({ id }) => fresh.has(id)));
  const [top = first, ...rest] = [first, ...others].map(kept);
  const isLeft = [top, ...rest].some(({ posts }) => posts.length > 0);
  if (newest.nextCursor === null || !isKnown || !isLeft)
    return { ...list, pages: [newest], pageParams: list.pageParams.slice(0, 1) };
  return { ...list, pages: [{ ...top, posts: [...newest.posts, ...top.posts] }, ...rest] };
}
