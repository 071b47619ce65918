/** The composition that a post begins: a copy of it, a draft to continue, or the post of a request for approval. */
import type { Outputs, Trpc } from '../../data/api-types.ts';
import { planFields, waitingApproval } from './approval.ts';
import { type Composition, contentKey, newComposition } from './composition.ts';
import { type ComposeSearch, timeFields } from './search.ts';

export type Post = Outputs['posts']['get']['post'];

/** Reads the post that an address names, also when it is cached: it may have changed since. */
export function readingOf(trpc: Trpc, { draft, from }: ComposeSearch) {
  const postId = draft ?? from;
  return trpc.posts.get.queryOptions({ postId: postId ?? '' }, { enabled: postId !== undefined, staleTime: 0 });
}

interface Reading {
  readonly data: Outputs['posts']['get'] | undefined;
  readonly error: unknown;
  readonly isFetchedAfterMount: boolean;
}

/** @returns undefined until the post is read, and when that failed: what is cached may not be what it says now */
export function readPost({ data, error, isFetchedAfterMount }: Reading): Post | undefined {
  return isFetchedAfterMount && error === null ? data?.post : undefined;
}

/**
 * The address decides about the time, then what the request for approval asks for. Its draft is not saved from here: a save
 * deletes the earlier draft, and the one who asked would lose the post.
 */
export function beginningOf(post: Post, search: ComposeSearch, now: number): Composition {
  const isDraft = isContinued(post, search);
  const approval = isDraft ? waitingApproval(post) : null;
  const composition = {
    ...contentOf(post),
    ...(approval !== null && planFields(approval.plan, now)),
    ...timeFields(search),
    approval,
  };
  if (!isDraft || approval !== null) return composition;
  const content = contentKey(composition);
  const saves = [{ content, ids: [post.id] }];
  return { ...composition, drafts: { [post.connectionId]: post.id }, savedAs: content, saves };
}

export function isContinued(post: Post, search: ComposeSearch): boolean {
  return search.draft !== undefined && post.status === 'draft';
}

/** Whether a composition was begun from this draft. One that was changed elsewhere since is taken from it first (release-draft.ts). */
export function isBegunFrom({ drafts, approval: begun }: Composition, post: Post): boolean {
  const approval = waitingApproval(post);
  if (approval === null) return Object.values(drafts).includes(post.id);
  return begun?.postId === post.id && begun.requestedAt === approval.requestedAt;
}

/** The text that was begun from this draft; undefined when there is none. */
export function findBegun(texts: readonly Composition[], post: Post): Composition | undefined {
  return texts.find((one) => isBegunFrom(one, post));
}

export function contentOf(post: Post): Composition {
  return {
    ...newComposition(),
    text: post.originalText,
    thread: post.thread,
    firstComment: post.firstComment,
    tags: post.tags.join(' '),
    // An image that was freed cannot be used again.
    images: post.media.flatMap(({ id, altText, contentType, width, height, url }) =>
      url === null ? [] : [{ id, altText: altText ?? '', contentType, width, height }],
    ),
    targets: [post.connectionId],
    rewrite: post.rewrite,
  };
}
