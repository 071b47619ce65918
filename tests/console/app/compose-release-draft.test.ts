/** A draft that was changed elsewhere leaves the texts that were saved as it: none of them deletes what it says now. */
import { describe, expect, it } from 'vitest';
import { findBegun, type Post } from '../../../console/app/views/compose/beginning.ts';
import { type Composition, contentKey, newComposition } from '../../../console/app/views/compose/composition.ts';
import { planSend } from '../../../console/app/views/compose/plan-send.ts';
import { releaseDraft } from '../../../console/app/views/compose/release-draft.ts';
import { sendPending } from '../../../console/app/views/compose/send.ts';
import { placeOf, storeOf } from '../../../console/app/views/compose/store.ts';
import { BELL, fakeService, fakeStorage, newStore, planned, sendingOf, sendPlanned, write } from './compose-world.ts';

const DIRECTORY = { connections: [BELL], platforms: new Map() };

/** A draft for the bell, as the service holds it. */
const draftOf = (originalText: string, id = 'draft') =>
  ({
    id,
    connectionId: BELL.id,
    platformId: BELL.platformId,
    originalText,
    thread: [],
    firstComment: null,
    tags: [],
    media: [],
    rewrite: null,
  }) as unknown as Post;

/** A text that was saved as the draft, and written on. */
function saved(content: Partial<Composition> = {}) {
  const store = newStore();
  const written = write(store);
  const savedAs = contentKey(written);
  const saves = [{ content: savedAs, ids: ['draft', 'other'] }];
  store.change({ text: 'Ding dong', savedAs, saves, drafts: { [BELL.id]: 'draft', gong: 'other' }, ...content });
  const release = (text: string) => {
    releaseDraft(store, draftOf(text), DIRECTORY.platforms);
    const found = store.find(written.id) ?? newComposition();
    return { ...found, replaced: planSend(found, DIRECTORY, 0)[0]?.input.replaces };
  };
  return { store, release };
}

it('leaves the text, whose send then keeps it', () => {
  const { release } = saved();

  expect(release('Changed')).toMatchObject({
    text: 'Ding dong',
    drafts: { gong: 'other' },
    savedAs: null,
    replaced: ['other'],
  });
});

it('leaves a text that is not shown too', () => {
  const { store, release } = saved();
  write(store, { text: 'Another one' });

  expect(release('Changed').drafts).toEqual({ gong: 'other' });
});

it('opens the unfinished text that has it, also when that is not shown, but not one that it has left', () => {
  const { store, release } = saved();
  const first = store.current();
  write(store, { text: 'Another one' });
  const find = (text: string) => findBegun([store.current(), ...store.others()], draftOf(text));
  const found = find('Ding');
  release('Changed');

  expect([found, find('Changed')]).toEqual([first, undefined]);
});

it('stays with its text when no one changed it', () => {
  const { store, release } = saved();
  const before = store.current();

  expect(release('Ding')).toMatchObject({ ...before, replaced: ['draft', 'other'] });
});

it.each([
  ['a', [['draft']], null],
  ['one of two requests of a', [['draft'], ['other']], [['other']]],
])('is not deleted by %s save that got no answer', (_what, replaced, left) => {
  const requests = replaced.map((replaces) => {
    return { key: replaces.join(), input: { text: 'Ding', connectionSlugs: ['bell'], isDraft: true, replaces } };
  });
  const { release } = saved({ pending: { kind: 'save', startedAt: 0, requests } });

  const { pending } = release('Changed');

  expect(pending?.requests.map(({ input }) => input.replaces) ?? null).toEqual(left);
});

describe('a draft that only its text left behind stays with it', () => {
  /** A text whose first save is stored as `post-1`, and which is written on. */
  async function left({ isAnswered = true } = {}) {
    const service = fakeService();
    const store = newStore();
    write(store);
    const sending = sendingOf(service, store);
    if (!isAnswered) service.refuse(null);
    await sendPlanned(sending, 'save', planned({ isDraft: true }));
    service.refuse();
    store.change({ text: 'Ding dong' });
    const { pending } = store.current();
    if (pending !== null) await sendPending(sending, pending);
    return {
      /** Saves what is written, which no connection takes. */
      saveRefused: async () => {
        service.reject(true);
        await sendPlanned(sending, 'save', planned({ text: 'Ding dong', isDraft: true, replaces: ['post-1'] }));
        store.change((saved) => ({ savedAs: contentKey(saved) }));
      },
      /** What opening the draft changes. */
      open: () => {
        store.change({ text: 'Ding dong dang' });
        const before = store.current();
        releaseDraft(store, draftOf('Ding', 'post-1'), DIRECTORY.platforms);
        return { before, after: store.current() };
      },
    };
  }

  it.each([
    ['was refused', true],
    ['was refused, and the answer to the save before arrived late', false],
  ])('when the next save %s', async (_what, isAnswered) => {
    const { saveRefused, open } = await left({ isAnswered });
    await saveRefused();

    const { before, after } = open();

    expect(after).toEqual({ ...before, drafts: { [BELL.id]: 'post-1' } });
  });

  it('when another request of its save failed', async () => {
    const { open } = await left();

    const { before, after } = open();

    expect(after).toEqual({ ...before, drafts: { [BELL.id]: 'post-1' } });
  });

  it('when an earlier version of the console kept the text', () => {
    const storage = fakeStorage();
    const session = { kind: 'key', key: 'drafts of an earlier version' } as const;
    const written = { ...newComposition(), text: 'Ding', targets: [BELL.id] };
    const { saves: _none, ...stored } = { ...written, drafts: { [BELL.id]: 'draft' }, savedAs: contentKey(written) };
    storage.setItem(placeOf(session), JSON.stringify({ current: stored.id, all: [stored] }));
    newStore(storage);
    const store = storeOf(session);
    const savedAs = contentKey({ ...written, text: 'Ding dong' });
    store.change({ text: 'Ding dong', savedAs });
    const before = store.current();

    releaseDraft(store, draftOf('Ding'), DIRECTORY.platforms);

    expect(store.current()).toEqual(before);
  });
});
