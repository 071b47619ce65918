/** The texts that this browser keeps: one that cannot be read takes no other with it. */
import { expect, it } from 'vitest';
import { newComposition } from '../../../console/app/views/compose/composition.ts';
import { placeOf, storeOf } from '../../../console/app/views/compose/store.ts';
import { fakeStorage, newStore } from './compose-world.ts';

const FIRST = { ...newComposition(), text: 'First' };
const SECOND = { ...newComposition(), text: 'Second' };

/** Opens Compose in a browser that keeps this. */
function opened(name: string, raw: string) {
  const storage = fakeStorage();
  const session = { kind: 'key', key: name } as const;
  storage.setItem(placeOf(session), raw);
  newStore(storage);
  return { store: storeOf(session), unreadable: () => storage.getItem(`${placeOf(session)}.unreadable`) };
}

it.each([
  ['is nothing', null],
  ['has no words', { ...newComposition(), id: 'broken', text: null }],
  ['has requests that cannot be read', { ...newComposition(), id: 'broken', pending: { kind: 'save' } }],
])('a text that %s leaves the others, and stays in the browser', (what, broken) => {
  const raw = JSON.stringify({ current: 'broken', all: [broken, FIRST, SECOND], discarded: [] });
  const { store, unreadable } = opened(what, raw);

  store.change({ tags: 'bells' });

  expect([store.current(), ...store.others()]).toEqual([{ ...FIRST, tags: 'bells' }, SECOND]);
  expect(unreadable()).toBe(raw);
});

it('a discarded text that cannot be read leaves the others, and stays in the browser', () => {
  const whole = { composition: SECOND, at: 1 };
  const raw = JSON.stringify({ current: FIRST.id, all: [FIRST], discarded: [{ at: 1 }, whole] });
  const { store, unreadable } = opened('a discarded text', raw);

  expect([store.current(), store.discarded(), unreadable()]).toEqual([FIRST, [whole], raw]);
});

it('what is no list of texts at all stays in the browser when a new text is written', () => {
  const { store, unreadable } = opened('no list', '{"current":');

  store.change({ text: 'New' });

  expect([store.current().text, unreadable()]).toEqual(['New', '{"current":']);
});

it('texts that can all be read are kept once', () => {
  const { store, unreadable } = opened('whole', JSON.stringify({ current: SECOND.id, all: [FIRST, SECOND] }));

  expect([store.current(), store.others(), unreadable()]).toEqual([SECOND, [FIRST], null]);
});
