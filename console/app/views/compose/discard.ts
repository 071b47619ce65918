/** Deletes what the service has of a discarded composition. */
import { codeOf } from '../../data/problem.ts';
import type { Api, Outputs } from '../../data/api-types.ts';
import type { Composition } from './composition.ts';

/** A text whose send has no answer stays: only its requests say what may have gone out. */
export function canDiscard({ pending }: Composition): boolean {
  return pending?.kind !== 'send';
}

type Page = Outputs['posts']['list'];

/** Most posts that the service lists in one answer. */
const LISTED_MAX = 100;

export interface FoundDrafts {
  readonly ids: readonly string[];
  /** Why others may be left; empty when none is. */
  readonly failures: readonly unknown[];
}

/** Finds its drafts, also those of a save whose answer did not arrive. */
export async function findDrafts(api: Api, { drafts, pending }: Composition): Promise<FoundDrafts> {
  // Their keys repeat the answers of the save, which name its drafts.
  const saves = await Promise.allSettled(
    (pending?.requests ?? []).map(({ key, input }) => api.posts.create.mutate({ ...input, idempotencyKey: key })),
  );
  const results = saves.flatMap((save) => (save.status === 'fulfilled' ? save.value.results : []));
  const known = [...Object.values(drafts), ...results.flatMap(({ postId }) => postId ?? [])];
  const [left] = await Promise.allSettled([onlyDrafts(api, known)]);
  return {
    ids: left.status === 'fulfilled' ? left.value : [],
    failures: failuresOf([...saves, left]),
  };
}

/** Those that are still drafts. One that was published elsewhere keeps its id, and deleting it would take it down. */
async function onlyDrafts(api: Api, ids: readonly string[]): Promise<string[]> {
  // Ids grow with time, and lists begin with the newest.
  const [oldest] = ids.toSorted();
  if (oldest === undefined) return [];
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page: Page = await api.posts.list.query({ status: 'draft', limit: LISTED_MAX, ...(cursor && { cursor }) });
    const listed = page.posts.map(({ id }) => id);
    found.push(...listed.filter((id) => ids.includes(id)));
    cursor = listed.some((id) => id <= oldest) ? undefined : (page.nextCursor ?? undefined);
  } while (cursor !== undefined);
  return found;
}

/** @returns why drafts may be left; empty when none is */
export async function deleteDrafts(api: Api, { ids, failures }: FoundDrafts): Promise<readonly unknown[]> {
  const deletions = await Promise.allSettled(
    ids.map((postId) => api.posts.delete.mutate({ postId, ifStatus: 'draft' })),
  );
  return [...failures, ...failuresOf(deletions)];
}

/** What a deletion answers about a draft that was replaced, deleted or published elsewhere: there is no draft any more. */
const GONE: readonly unknown[] = ['not_found', 'post_not_cancellable'];

function failuresOf(outcomes: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' && !GONE.includes(codeOf(outcome.reason)) ? [outcome.reason as unknown] : [],
  );
}
