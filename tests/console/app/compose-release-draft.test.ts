/** A draft that was changed elsewhere leaves the texts that were saved as it: none of them deletes what it says now. */
import { expect, it } from 'vitest';
import type { Post } from '../../../console/app/views/compose/beginning.ts';
import { type Composition, contentKey, newComposition } from '../../../console/app/views/compose/composition.ts';
import { planSend } from '../../../console/app/views/compose/plan-send.ts';
import { releaseDraft } from '../../../console/app/views/compose/release-draft.ts';
import { BELL, newStore, write } from './compose-world.ts';

const DIRECTORY = { connections: [BELL], platforms: new Map() };

/** A draft for the bell, as the service holds it. */
const draftOf = (originalText: string) =>
  ({
    id: 'draft',
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
  store.change({ text: 'Ding dong', savedAs, drafts: { [BELL.id]: 'draft', gong: 'other' }, ...content });
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
