/** Undo in Compose changes the text in which something was removed, also when another one is shown by then. */
import { describe, expect, it } from 'vitest';
import { newComposition, type Composition } from '../../../console/app/views/compose/composition.ts';
import type { CompositionStore } from '../../../console/app/views/compose/store.ts';
import {
  polish,
  removeFirstComment,
  removeImage,
  removeReply,
  removeVariant,
  showInstead,
} from '../../../console/app/views/compose/undoable.ts';
import { newStore, write } from './compose-world.ts';

const IMAGE = { id: 'image', altText: 'A bell', contentType: 'image/png', width: 1, height: 1 };

type Removal = (store: CompositionStore, composition: Composition) => () => void;

it.each<[string, Partial<Composition>, Removal]>([
  ['an image', { images: [IMAGE] }, (store, composition) => removeImage(store, composition, IMAGE)],
  ['a reply', { thread: ['Dong'] }, (store, composition) => removeReply(store, composition, 0)],
  ['a first comment', { firstComment: 'Dong' }, removeFirstComment],
  ['a variant', { variants: { x: 'Dong' } }, (store, composition) => removeVariant(store, composition, 'x')],
])('undo puts %s back into its text, and leaves the shown one alone', (_what, content, remove) => {
  const store = newStore();
  const first = write(store, content);
  const undo = remove(store, first);
  const removed = store.find(first.id);
  const second = { ...newComposition(), text: 'Another one' };
  store.show(second);

  undo();

  expect(removed).not.toEqual(first);
  expect(store.find(first.id)).toEqual(first);
  expect(store.current()).toEqual(second);
});

it('undo of the removal of a first comment keeps one that was written since', () => {
  const store = newStore();
  const undo = removeFirstComment(store, write(store, { firstComment: 'Dong' }));
  store.change({ firstComment: 'Dang' });

  undo();

  expect(store.current().firstComment).toBe('Dang');
});

it.each([
  ['one that was written', 'Dang', 'Dang'],
  ['an empty one', '', 'Dong'],
])('undo of the removal of a variant, where %s was begun since', (_what, begun, expected) => {
  const store = newStore();
  const undo = removeVariant(store, write(store, { variants: { x: 'Dong', bluesky: 'Ding' } }), 'x');
  store.change({ variants: { bluesky: 'Ding', x: begun } });

  undo();

  expect(store.current().variants).toEqual({ bluesky: 'Ding', x: expected });
});

describe.each([
  ['the text', undefined, (words: string) => ({ text: words })],
  ['the text for a platform', 'x', (words: string) => ({ variants: { x: words } })],
])('undo of polished words in %s', (_what, platformId, written) => {
  it('brings the words before back, also when another text is shown by then', () => {
    const store = newStore();
    const first = write(store, written('Dnig'));
    const undo = polish(store, first, 'Ding', platformId);
    const polished = store.find(first.id);
    const second = write(store, { text: 'Another one' });

    const isBack = undo();

    expect([isBack, polished]).toEqual([true, { ...first, ...written('Ding') }]);
    expect([store.find(first.id), store.current()]).toEqual([first, second]);
  });

  it('keeps what was written since', () => {
    const store = newStore();
    const undo = polish(store, write(store, written('Dnig')), 'Ding', platformId);
    store.change(written('Ding dong'));

    const isBack = undo();

    expect(isBack).toBe(false);
    expect(store.current()).toMatchObject(written('Ding dong'));
  });
});

it('undo returns to the text before, and forgets the one that was opened unless something was written', () => {
  const store = newStore();
  const first = write(store, { text: 'First' });
  const opened = { ...newComposition(), text: 'Opened' };

  showInstead(store, opened)();
  const afterNothing = [store.current(), store.find(opened.id)];
  const undo = showInstead(store, opened);
  store.change({ text: 'Opened and written' }, opened.id);
  store.change({ text: 'First, later' }, first.id);
  undo();

  expect(afterNothing).toEqual([first, undefined]);
  expect(store.current().text).toBe('First, later');
  expect(store.find(opened.id)?.text).toBe('Opened and written');
});

it('undo returns to the text before, and keeps the one that was continued', () => {
  const store = newStore();
  const first = write(store, { text: 'First' });
  const second = write(store, { text: 'Second' });

  showInstead(store, first)();

  expect([store.current(), store.others()]).toEqual([second, [first]]);
});
