/** Deletes what the service has of a discarded composition. */
import { codeOf } from '../../data/problem.ts';
import type { Api } from '../../data/api-types.ts';
import { type Composition, isRepeatable, type Pending } from './composition.ts';
import type { CompositionStore } from './store.ts';

/** A text whose send has no answer stays: only its requests say what may have gone out. */
export function canDiscard({ pending }: Composition): boolean {
  return pending?.kind !== 'send';
}

export interface FoundDrafts {
  readonly ids: readonly string[];
  /** Why others may be left; empty when none is. */
  readonly failures: readonly unknown[];
}

/** Finds its drafts, also those of a save whose answer did not arrive. */
export async function findDrafts(api: Api, { drafts, pending }: Composition, now: number): Promise<FoundDrafts> {
  const saves = await Promise.allSettled(pending === null ? [] : savesOf(api, pending, now));
  const found = saves.flatMap((save) => (save.status === 'fulfilled' ? save.value : []));
  return { ids: [...new Set([...Object.values(drafts), ...found])], failures: failuresOf(saves) };
}

/** Ids of the drafts that the requests of a save stored. */
function savesOf(api: Api, pending: Pending, now: number): Promise<readonly string[]>[] {
  // A save that the service no longer knows would store new drafts. Those that it has stored could be found by their text only, and
  // another device may have stored the same text: they stay.
  if (!isRepeatable(pending, now)) return [];
  // Their keys repeat the answers of the save, which name its drafts.
  return pending.requests.map(async ({ key, input }) => {
    const { results } = await api.posts.create.mutate({ ...input, idempotencyKey: key });
    return results.flatMap(({ postId }) => postId ?? []);
  });
}

/** Deletes drafts, except those that a text has: it was opened from them since. @returns why drafts may be left; empty when none is */
export async function deleteDrafts(
  api: Api,
  store: CompositionStore,
  { ids, failures }: FoundDrafts,
): Promise<readonly unknown[]> {
  store.refresh();
  const wanted = new Set([store.current(), ...store.others()].flatMap(({ drafts }) => Object.values(drafts)));
  const unwanted = ids.filter((id) => !wanted.has(id));
  // One that was published elsewhere keeps its id, and is no draft any more: deleting it would take it down.
  const deletions = await Promise.allSettled(
    unwanted.map((postId) => api.posts.delete.mutate({ postId, ifStatus: 'draft' })),
  );
  return [...failures, ...failuresOf(deletions)];
}

/** Longer than a message with Undo shows, here or in another tab. */
export const UNDO_MAX_MS = 60_000;

/** A failure that lasts longer does not end without someone who acts. */
const TRIED_MAX_MS = 86_400_000;

/** Deletes the drafts of texts that were discarded on a page that was closed before it could, or could not. */
export async function finishDiscards(api: Api, store: CompositionStore, now: number): Promise<void> {
  store.refresh();
  for (const { composition, at } of store.discarded()) {
    if (now - at < UNDO_MAX_MS) continue;
    const failures = await deleteDrafts(api, store, await findDrafts(api, composition, now));
    if (failures.length === 0 || now - at > TRIED_MAX_MS) store.endDiscard(composition.id);
  }
}

/** What a deletion answers about a draft that was replaced, deleted or published elsewhere: there is no draft any more. */
const GONE: readonly unknown[] = ['not_found', 'post_not_cancellable'];

function failuresOf(outcomes: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' && !GONE.includes(codeOf(outcome.reason)) ? [outcome.reason as unknown] : [],
  );
}
