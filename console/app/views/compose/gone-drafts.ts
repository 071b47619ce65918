/** Drafts that a text was saved as, and that were published, scheduled or deleted elsewhere since. */
import type { Api, Connection } from '../../data/api-types.ts';
import { codeOf } from '../../data/problem.ts';
import type { ComposedRequest, Composition } from './composition.ts';
import { LISTED_MAX, type ListedPost, REQUESTS_MAX } from './listed-posts.ts';
import { findSentElsewhere } from './sent-elsewhere.ts';

export interface GoneDraft {
  readonly id: string;
  /** The connection that it was for. */
  readonly connectionId: string;
  /** What it became, or the post that was sent in its place; null when that is not known. */
  readonly post: ListedPost | null;
}

/** Posts by id: `missing` for one that is gone, `hidden` when the session may not read posts; absent when a read failed. */
type Reads = Map<string, ListedPost | 'missing' | 'hidden'>;

/** Finds which drafts are gone that these requests would have replaced; the service refused each request because of one. */
export async function findGone(
  api: Api,
  composition: Composition,
  requests: readonly ComposedRequest[],
  connections: readonly Connection[],
): Promise<GoneDraft[]> {
  const named = new Set(requests.flatMap(({ input }) => input.replaces ?? []));
  const wanted = Object.entries(composition.drafts).filter(([, id]) => named.has(id));
  const ids = wanted.map(([, id]) => id);
  const reads = ids.length > REQUESTS_MAX ? await readInPages(api, ids) : await readEach(api, ids);
  const missing = wanted.flatMap(([connectionId, id]) => {
    const connection = connections.find((one) => one.id === connectionId);
    return reads.get(id) === 'missing' && connection !== undefined ? [{ id, connection }] : [];
  });
  const sent = await findSentElsewhere(api, composition, requests, missing);
  const isUnclear = new Set(missing.flatMap(({ id }) => (sent.has(id) ? [] : [id])));
  return wanted.flatMap(([connectionId, id]): GoneDraft[] => {
    const read = reads.get(id);
    // What was not read counts as a draft: the next request that names it is refused too.
    if (read === undefined || isUnclear.has(id)) return [];
    if (typeof read === 'string') return [{ id, connectionId, post: sent.get(id) ?? null }];
    return read.status === 'draft' ? [] : [{ id, connectionId, post: read }];
  });
}

async function readEach(api: Api, ids: readonly string[]): Promise<Reads> {
  const reads = await Promise.allSettled(ids.map((postId) => api.posts.get.query({ postId })));
  const found: Reads = new Map();
  for (const [index, read] of reads.entries()) {
    const post = read.status === 'fulfilled' ? read.value.post : withoutPost(read.reason);
    if (post !== null) found.set(ids[index] ?? '', post);
  }
  return found;
}

function withoutPost(failure: unknown): 'missing' | 'hidden' | null {
  const code = codeOf(failure);
  if (code === 'not_found') return 'missing';
  return code === 'forbidden' ? 'hidden' : null;
}

/** Drafts of one save have ids close to each other, so that few pages have them all. */
async function readInPages(api: Api, ids: readonly string[]): Promise<Reads> {
  const reads: Reads = new Map();
  // Ids grow with time, and lists begin with the newest.
  let left = ids.toSorted().toReversed();
  for (let asked = 0; asked < REQUESTS_MAX; asked += 1) {
    const [newest, ...older] = left;
    if (newest === undefined) break;
    // A list goes on after its cursor, so the first one is read alone.
    const [read, page] = await Promise.all([readEach(api, [newest]), listAfter(api, newest)]);
    for (const [id, post] of read) reads.set(id, post);
    if (page === null) break;
    const { posts, nextCursor, unlisted } = page;
    const listed = new Map(posts.map((post) => [post.id, post]));
    const isCovered = (id: string) => nextCursor === null || id >= nextCursor;
    for (const id of older.filter(isCovered)) reads.set(id, listed.get(id) ?? unlisted);
    left = older.filter((id) => !isCovered(id));
  }
  return reads;
}

/** @returns null when they cannot be read now; else also what a post is that is not on the page */
async function listAfter(api: Api, cursor: string) {
  try {
    const { posts, nextCursor } = await api.posts.list.query({ cursor, limit: LISTED_MAX });
    return { posts, nextCursor, unlisted: 'missing' as const };
  } catch (failure) {
    return codeOf(failure) === 'forbidden' ? { posts: [], nextCursor: null, unlisted: 'hidden' as const } : null;
  }
}
