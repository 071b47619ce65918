/** Drafts that a text was saved as, and that were published, scheduled or deleted elsewhere since. */
import type { Api } from '../../data/api-types.ts';
import { codeOf } from '../../data/problem.ts';
import type { ComposedRequest, Composition } from './composition.ts';
import { LISTED_MAX, type ListedPost, REQUESTS_MAX } from './listed-posts.ts';

export interface GoneDraft {
  readonly id: string;
  /** The connection that it was for. */
  readonly connectionId: string;
  /** What it became; null when that is not known. */
  readonly post: ListedPost | null;
}

/** Posts by id. Null for one that is gone, and for all when the session may not read posts; absent when a read failed. */
type Reads = Map<string, ListedPost | null>;

/** Finds which drafts are gone that these requests would have replaced; the service refused each request because of one. */
export async function findGone(
  api: Api,
  { drafts }: Composition,
  requests: readonly ComposedRequest[],
): Promise<GoneDraft[]> {
  const named = new Set(requests.flatMap(({ input }) => input.replaces ?? []));
  const wanted = Object.entries(drafts).filter(([, id]) => named.has(id));
  const ids = wanted.map(([, id]) => id);
  const reads = ids.length > REQUESTS_MAX ? await readInPages(api, ids) : await readEach(api, ids);
  return wanted.flatMap(([connectionId, id]) => {
    const post = reads.get(id);
    // What was not read counts as a draft: the next request that names it is refused too.
    return post === undefined || post?.status === 'draft' ? [] : [{ id, connectionId, post }];
  });
}

async function readEach(api: Api, ids: readonly string[]): Promise<Reads> {
  const reads = await Promise.allSettled(ids.map((postId) => api.posts.get.query({ postId })));
  return new Map(
    reads.flatMap((read, index): [string, ListedPost | null][] => {
      const id = ids[index] ?? '';
      if (read.status === 'fulfilled') return [[id, read.value.post]];
      return isNoPost(read.reason) ? [[id, null]] : [];
    }),
  );
}

function isNoPost(failure: unknown): boolean {
  const code = codeOf(failure);
  return code === 'not_found' || code === 'forbidden';
}

/** Drafts of one save have ids close to each other, so that few pages have them all. */
async function readInPages(api: Api, ids: readonly string[]): Promise<Reads> {
  const reads: Reads = new Map();
  // Ids grow with time, and lists begin with the newest.
  let left = ids.toSorted().toReversed();
  for (let asked = 0; asked < REQUESTS_MAX; asked += 1) {
    const [newest, ...older] = left;
    if (newest === undefined) break;
    // A list goes on after its cursor, so the first one is read by itself.
    const [read, page] = await Promise.all([readEach(api, [newest]), listAfter(api, newest)]);
    for (const [id, post] of read) reads.set(id, post);
    if (page === null) break;
    const { posts, nextCursor } = page;
    const listed = new Map(posts.map((post) => [post.id, post]));
    const isCovered = (id: string) => nextCursor === null || id >= nextCursor;
    for (const id of older.filter(isCovered)) reads.set(id, listed.get(id) ?? null);
    left = older.filter((id) => !isCovered(id));
  }
  return reads;
}

/** @returns null when they cannot be read now; no posts when the session may not read any */
async function listAfter(api: Api, cursor: string) {
  try {
    return await api.posts.list.query({ cursor, limit: LISTED_MAX });
  } catch (failure) {
    return codeOf(failure) === 'forbidden' ? { posts: [], nextCursor: null } : null;
  }
}
