/** A post that an address names together with a time or the queue: it goes out then, also when an unfinished text has its draft. */
import { describe, expect, it } from 'vitest';
import { beginWithPost } from '../../../console/app/views/compose/begin-with-post.ts';
import type { Post } from '../../../console/app/views/compose/beginning.ts';
import { contentKey } from '../../../console/app/views/compose/composition.ts';
import { type ComposeSearch, localTimeOf } from '../../../console/app/views/compose/search.ts';
import { BELL, newStore, write } from './compose-world.ts';

const NOON = Date.parse('2026-11-21T12:00:00.000Z');
const TUESDAY = '2026-11-24T09:00:00.000Z';
const FRIDAY = '2026-11-27T09:00:00.000Z';

/** The draft that the text was saved as. */
const DRAFT = {
  id: 'draft',
  status: 'draft',
  connectionId: BELL.id,
  platformId: BELL.platformId,
  originalText: 'Ding',
  thread: [],
  firstComment: null,
  tags: [],
  media: [],
  rewrite: null,
  approval: null,
} as unknown as Post;

/** A text that was saved as the draft, and opens its address. */
function saved() {
  const store = newStore();
  const written = write(store);
  const content = contentKey(written);
  store.change({ savedAs: content, saves: [{ content, ids: ['draft'] }], drafts: { [BELL.id]: 'draft' } });
  const open = (search: ComposeSearch) => beginWithPost(store, DRAFT, { draft: 'draft', ...search }, new Map(), NOON);
  return { store, open, before: store.current() };
}

const SEARCHES = [
  ['a time', { time: TUESDAY }, { when: 'time', ...localTimeOf(TUESDAY) }],
  ['the queue', { queue: 'yes' }, { when: 'queue' }],
] as const;

describe.each(SEARCHES)('%s of the address', (_what, search, fields) => {
  it('counts for the draft of another unfinished text, until Undo', () => {
    const { store, open, before } = saved();
    const shown = write(store, { text: 'Another one' });

    const undo = open(search);
    const opened = store.current();
    undo?.();

    expect(opened).toEqual({ ...before, ...fields });
    expect([store.current(), store.others()]).toEqual([shown, [before]]);
  });

  it('counts for the draft of the text that is shown', () => {
    const { store, open, before } = saved();

    const undo = open(search);

    expect([store.current(), undo]).toEqual([{ ...before, ...fields }, null]);
  });
});

it('a time that was chosen since stays when the draft of the address is undone', () => {
  const { store, open, before } = saved();
  const shown = write(store, { text: 'Another one' });
  const undo = open({ time: TUESDAY });
  const chosen = { when: 'time' as const, ...localTimeOf(FRIDAY) };
  store.change(chosen);

  undo?.();

  expect([store.current(), store.others()]).toEqual([shown, [{ ...before, ...chosen }]]);
});

it('an address without a time leaves the one that was chosen', () => {
  const { store, open } = saved();
  store.change({ when: 'queue' });
  const before = store.current();

  const undo = open({});

  expect([store.current(), undo]).toEqual([before, null]);
});
