/**
 * Finds posts that were sent from Compose on another device in place of a draft: the service deletes the draft then, and the post
 * has another id. A post to its connection with the words of the text counts as one.
 */
import type { Api, Connection } from '../../data/api-types.ts';
import { codeOf } from '../../data/problem.ts';
import { type ComposedRequest, type Composition, type Content, contentIn } from './composition.ts';
import { LISTED_MAX, type ListedPost, listPosts, REQUESTS_MAX } from './listed-posts.ts';
import { storedFor } from './requests.ts';

/** A draft that is gone, and its connection. */
export interface Missing {
  readonly id: string;
  readonly connection: Connection;
}

/** @returns by id of the draft, null for those without such a post; without those whose posts cannot be listed now */
export async function findSentElsewhere(
  api: Api,
  composition: Composition,
  requests: readonly ComposedRequest[],
  missing: readonly Missing[],
): Promise<Map<string, ListedPost | null>> {
  const lists = await listNewer(api, missing);
  return new Map(
    missing.flatMap((draft, index) => {
      const posts = lists[index];
      if (posts === undefined) return [];
      const texts = textsOf(composition, requests, draft);
      const sent = posts.filter((post) => post.id > draft.id && isSent(post) && saysOneOf(texts, post));
      return [[draft.id, sent.find(mayBeOut) ?? sent[0] ?? null] as const];
    }),
  );
}

/** Whether the post went out, will go out, or may have gone out. */
export function mayBeOut({ status, error }: Pick<ListedPost, 'error'> & { readonly status: string }): boolean {
  return status !== 'failed' || error?.code === 'outcome_unknown';
}

/** Posts that were cancelled or taken down are no reason to keep the text back. */
export function isSent<Post extends Pick<ListedPost, 'status'>>(
  post: Post,
): post is Post & { readonly status: Exclude<Post['status'], 'draft' | 'cancelled' | 'deleted'> } {
  return post.status !== 'draft' && post.status !== 'cancelled' && post.status !== 'deleted';
}

function saysOneOf(texts: ReadonlySet<string>, { originalText, text }: ListedPost): boolean {
  return texts.has(originalText) || texts.has(text);
}

/** What the draft said, what the text says now, and what the requests said. */
function textsOf(
  composition: Composition,
  requests: readonly ComposedRequest[],
  { id, connection: { platformId } }: Missing,
): ReadonlySet<string> {
  const saved = composition.saves.filter(({ ids }) => ids.includes(id)).map(({ content }) => contentIn(content));
  const written = [composition, ...saved].map((content: Content) => storedFor(content, platformId, new Map()).text);
  const naming = requests.filter(({ input }) => input.replaces?.includes(id));
  const asked = naming.map(({ input }) => {
    const variants: Readonly<Record<string, string>> = input.textByPlatform ?? {};
    return (variants[platformId] ?? input.text).trim();
  });
  return new Set([...written, ...asked]);
}

/** The newest posts of the connection of each draft: few connections are listed by themselves. Undefined when that failed. */
async function listNewer(api: Api, missing: readonly Missing[]): Promise<(readonly ListedPost[] | undefined)[]> {
  const [oldest] = missing.map(({ id }) => id).toSorted();
  if (missing.length > REQUESTS_MAX) {
    const posts = await unlessForbidden(listPosts(api, {}, oldest));
    return missing.map(({ connection: { slug, profileId } }) =>
      posts?.filter((post) => post.connectionSlug === slug && post.profileId === profileId),
    );
  }
  return Promise.all(
    missing.map(({ connection: { id } }) => {
      const page = api.posts.list.query({ connection: id, limit: LISTED_MAX });
      return unlessForbidden(page.then(({ posts }) => posts));
    }),
  );
}

/** @returns no posts when the session may not read any; undefined when they cannot be read now */
async function unlessForbidden(listed: Promise<readonly ListedPost[]>): Promise<readonly ListedPost[] | undefined> {
  try {
    return await listed;
  } catch (failure) {
    return codeOf(failure) === 'forbidden' ? [] : undefined;
  }
}
