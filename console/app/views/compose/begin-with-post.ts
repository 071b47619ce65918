/** Shows the post that an address names: the text that was begun from it, or a new one. */
import { beginningOf, findBegun, isContinued, type Post } from './beginning.ts';
import { releaseDraft } from './release-draft.ts';
import type { Directory } from './requests.ts';
import { type ComposeSearch, timeFields } from './search.ts';
import type { CompositionStore } from './store.ts';
import { setTime, showInstead, type Undo } from './undoable.ts';

/**
 * What was written before stays among the unfinished texts. A time of the address counts for a text that was begun before too: else the
 * button would publish at once what the address schedules.
 *
 * @returns returns to it; null when the text was shown already
 */
export function beginWithPost(
  store: CompositionStore,
  post: Post,
  search: ComposeSearch,
  platforms: Directory['platforms'],
  now: number,
): Undo | null {
  const isDraft = isContinued(post, search);
  if (isDraft) releaseDraft(store, post, platforms);
  const written = isDraft ? findBegun([store.current(), ...store.others()], post) : undefined;
  if (written === undefined) return showInstead(store, beginningOf(post, search, now));
  const isShown = written === store.current();
  const undoTime = setTime(store, written, timeFields(search));
  if (isShown) return null;
  const goBack = showInstead(store, store.find(written.id) ?? written);
  return () => {
    undoTime();
    goBack();
  };
}
