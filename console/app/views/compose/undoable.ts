/** Changes of a text that can be taken back. Each gives its undo, which stays with that text when another one is shown. */
import type { TimeFields } from './approval.ts';
import { type ComposedImage, type Composition, contentKey } from './composition.ts';
import type { CompositionStore } from './store.ts';

export type Undo = () => void;
type Of = Pick<Composition, 'id'>;

export function setVariant(store: CompositionStore, { id }: Of, platformId: string, words: string): void {
  store.change(({ variants }) => ({ variants: { ...variants, [platformId]: words } }), id);
}

export function removeVariant(store: CompositionStore, composition: Composition, platformId: string): Undo {
  const { [platformId]: words = '', ...left } = composition.variants;
  store.change({ variants: left }, composition.id);
  // Another one may have been begun since.
  return () =>
    store.change(
      ({ variants }) => ({ variants: { ...variants, [platformId]: variants[platformId] || words } }),
      composition.id,
    );
}

export function removeReply(store: CompositionStore, { id, thread }: Composition, index: number): Undo {
  const words = thread[index] ?? '';
  store.change({ thread: thread.toSpliced(index, 1) }, id);
  return () => store.change((before) => ({ thread: before.thread.toSpliced(index, 0, words) }), id);
}

export function removeFirstComment(store: CompositionStore, { id, firstComment: words }: Composition): Undo {
  store.change({ firstComment: null }, id);
  // Another one may have been begun since.
  return () => store.change(({ firstComment }) => ({ firstComment: firstComment || words }), id);
}

export function removeImage(store: CompositionStore, { id, images }: Composition, image: ComposedImage): Undo {
  const index = images.findIndex((one) => one.id === image.id);
  store.change((before) => ({ images: before.images.filter((one) => one.id !== image.id) }), id);
  return () => store.change((before) => ({ images: before.images.toSpliced(index, 0, image) }), id);
}

/** @returns brings the time before back, unless another one was chosen since */
export function setTime(store: CompositionStore, composition: Composition, fields: Partial<TimeFields>): Undo {
  if (Object.keys(fields).length === 0) return () => undefined;
  const before = timeOf(composition);
  const set = JSON.stringify({ ...before, ...fields });
  store.change(fields, composition.id);
  return () => store.change((present) => (JSON.stringify(timeOf(present)) === set ? before : {}), composition.id);
}

function timeOf({ when, time, isSecond, zone }: Composition): TimeFields {
  return { when, time, isSecond, zone };
}

/**
 * Puts polished words in place of the text, or of the text for a platform.
 *
 * @returns brings the words before back, unless something else was written since; says whether it did
 */
export function polish(
  store: CompositionStore,
  composition: Composition,
  polished: string,
  platformId?: string,
): () => boolean {
  const wordsOf = ({ text, variants }: Composition) => (platformId === undefined ? text : variants[platformId]);
  const put = (words: string) => {
    if (platformId === undefined) store.change({ text: words }, composition.id);
    else setVariant(store, composition, platformId, words);
  };
  put(polished);
  return () => {
    const present = store.find(composition.id);
    const isPolished = present !== undefined && wordsOf(present) === polished;
    if (isPolished) put(wordsOf(composition) ?? '');
    return isPolished;
  };
}

/** Shows another text. Undo returns to the one before, and keeps among the unfinished texts what was written meanwhile. */
export function showInstead(store: CompositionStore, begun: Composition): Undo {
  const before = store.current();
  const isNew = store.find(begun.id) === undefined;
  store.show(begun);
  return () => {
    const present = store.find(begun.id);
    store.show(store.find(before.id) ?? before);
    if (isNew && present !== undefined && contentKey(present) === contentKey(begun)) store.forget(begun.id);
  };
}
