/** Takes drafts that were changed elsewhere from the texts that were saved as them. */
import type { Post } from './beginning.ts';
import { isChangedSince, withoutDraft } from './changed-draft.ts';
import type { Directory } from './requests.ts';
import type { CompositionStore } from './store.ts';

/** A text that had the draft stays without it, so that a later send or save of it does not delete what the draft says now. */
export function releaseDraft(store: CompositionStore, post: Post, platforms: Directory['platforms']): void {
  for (const composition of [store.current(), ...store.others()]) {
    if (!isChangedSince(composition, post, platforms)) continue;
    store.change((before) => withoutDraft(before, post.id), composition.id);
  }
}
