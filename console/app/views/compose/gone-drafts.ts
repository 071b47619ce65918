/** Drafts that a text was saved as, and that were published, scheduled or deleted elsewhere since. */
import type { Api, Outputs } from '../../data/api-types.ts';
import { codeOf } from '../../data/problem.ts';
import type { ComposedRequest } from './composition.ts';
import { onlyDrafts } from './discard.ts';

type Post = Outputs['posts']['get']['post'];

export interface GoneDrafts {
  readonly ids: ReadonlySet<string>;
  /** What those became that still exist. */
  readonly posts: readonly Post[];
}

/** Finds which drafts are gone that these requests would have replaced; the service refused each request because of one. */
export async function findGone(api: Api, requests: readonly ComposedRequest[]): Promise<GoneDrafts> {
  const named = requests.flatMap(({ input }) => input.replaces ?? []);
  // What cannot be read counts as a draft: the next request that names it is refused too.
  const drafts = await onlyDrafts(api, named).catch(() => named);
  const left = named.filter((id) => !drafts.includes(id));
  const reads = await Promise.allSettled(left.map((postId) => api.posts.get.query({ postId })));
  const posts = reads.flatMap((read) =>
    read.status === 'fulfilled' && read.value.post.status !== 'draft' ? [read.value.post] : [],
  );
  const deleted = left.filter((_id, index) => {
    const read = reads[index];
    return read?.status === 'rejected' && codeOf(read.reason) === 'not_found';
  });
  return { ids: new Set([...deleted, ...posts.map(({ id }) => id)]), posts };
}
