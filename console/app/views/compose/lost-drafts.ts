/** Connections whose drafts are gone while no one knows why: the text may have gone out to them elsewhere. */
import { type Composition, contentKey, isWrittenAs } from './composition.ts';
import type { CompositionStore } from './store.ts';

/** Ids of those that are still chosen; empty once something else is written. */
export function lostTargets(composition: Composition): readonly string[] {
  const { lostDrafts, targets } = composition;
  if (lostDrafts === null || !isWrittenAs(composition, lostDrafts.content)) return [];
  return targets.filter((id) => lostDrafts.connectionIds.includes(id));
}

/** What changes in a composition when it loses the drafts of these connections. */
export function withLost(composition: Composition, connectionIds: readonly string[]): Partial<Composition> {
  if (connectionIds.length === 0) return {};
  const known = [...new Set([...lostTargets(composition), ...connectionIds])];
  return { lostDrafts: { connectionIds: known, content: contentKey(composition) } };
}

/** The person has read the warning, and sends the text nevertheless. */
export function acceptLost(store: CompositionStore, id: string): void {
  store.change(({ lostDrafts }) => (lostDrafts === null ? {} : { lostDrafts: null }), id);
}
