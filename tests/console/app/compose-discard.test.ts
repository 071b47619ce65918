/** Discard of Compose: it leaves no draft, takes down no post, and hides no failure. */
import { describe, expect, it } from 'vitest';
import { deleteDrafts, findDrafts, finishDiscards } from '../../../console/app/views/compose/discard.ts';
import { fakeService, newStore, planned, refusal, sendingOf, sendPlanned, write } from './compose-world.ts';

const HOUR = 3_600_000;
const NOON = Date.parse('2026-11-21T12:00:00.000Z');

/** A text that is saved as a draft. */
async function saved() {
  const service = fakeService();
  const store = newStore();
  write(store);
  await sendPlanned(sendingOf(service, store), 'save', planned({ isDraft: true }));
  return { ...service, store, composition: store.current() };
}

describe('a discarded text', () => {
  it('leaves no draft of a save that had no answer yet', async () => {
    const service = fakeService();
    const store = newStore();
    const { id } = write(store);
    const arrive = service.hold();
    const save = sendPlanned(sendingOf(service, store), 'save', planned({ isDraft: true }));
    const composition = store.current();
    store.forget(id);
    arrive();
    await save;

    const failures = await deleteDrafts(service.api, store, await findDrafts(service.api, composition, Date.now()));

    expect([failures, service.posts]).toEqual([[], []]);
  });

  it('does not repeat a save that the service may have forgotten', async () => {
    const service = fakeService();
    const store = newStore();
    write(store);
    service.refuse(null, 'before');
    await sendPlanned(sendingOf(service, store), 'save', planned({ isDraft: true }));
    service.refuse();
    const composition = store.current();

    const found = await findDrafts(service.api, composition, Date.now() + 23 * HOUR);

    expect([found, service.posts]).toEqual([{ ids: [], failures: [] }, []]);
  });

  it('deletes no draft that only has the text of a save that is too old to repeat', async () => {
    const service = fakeService();
    const store = newStore();
    const { id } = write(store);
    service.refuse(null);
    await sendPlanned(sendingOf(service, store), 'save', planned({ isDraft: true }));
    service.refuse();
    const composition = store.current();
    store.forget(id);

    const found = await findDrafts(service.api, composition, Date.now() + 23 * HOUR);
    const failures = await deleteDrafts(service.api, store, found);

    expect([failures, service.posts.map(({ status }) => status)]).toEqual([[], ['draft']]);
  });

  it('leaves a post alone that was published from its draft elsewhere', async () => {
    const { api, store, posts, composition } = await saved();
    store.forget(composition.id);
    for (const post of posts) post.status = 'sent';

    const failures = await deleteDrafts(api, store, await findDrafts(api, composition, Date.now()));

    expect([failures, posts.map(({ status }) => status)]).toEqual([[], ['sent']]);
  });

  it('says why a draft may be left, but not that one is gone already', async () => {
    const { api, store, posts, composition, refuse } = await saved();
    store.forget(composition.id);
    const found = await findDrafts(api, composition, Date.now());
    refuse('internal_server_error');

    const failures = await deleteDrafts(api, store, found);

    expect(failures).toEqual([refusal('internal_server_error')]);
    refuse();
    posts.splice(0);
    expect(await deleteDrafts(api, store, found)).toEqual([]);
  });

  it('keeps its drafts, and says so, when they cannot be deleted', async () => {
    const { api, store, posts, composition, refuse } = await saved();
    store.forget(composition.id);
    refuse(null, 'before');

    const failures = await deleteDrafts(api, store, await findDrafts(api, composition, Date.now()));

    expect([failures, posts.map(({ status }) => status)]).toEqual([[refusal(null)], ['draft']]);
  });

  it('reads no list of drafts, of which there may be any number', async () => {
    const { api, store, posts, composition, calls } = await saved();
    store.forget(composition.id);
    const before = calls.length;

    await deleteDrafts(api, store, await findDrafts(api, composition, Date.now()));

    expect([calls.slice(before).map((call) => call.split(' ')[0]), posts]).toEqual([['delete'], []]);
  });

  it('whose page was closed before its drafts were deleted leaves none after the next visit', async () => {
    const { api, store, posts, composition } = await saved();
    store.discard(composition.id, NOON);

    await finishDiscards(api, store, NOON + 1_000);
    const duringUndo = posts.length;
    await finishDiscards(api, store, NOON + 61_000);

    expect([duringUndo, posts, store.discarded()]).toEqual([1, [], []]);
  });

  it('keeps its drafts when Undo brings it back', async () => {
    const { api, store, posts, composition } = await saved();
    store.discard(composition.id, NOON);
    store.show(composition);

    await finishDiscards(api, store, NOON + 61_000);

    expect([posts.length, store.current()]).toEqual([1, composition]);
  });

  it('keeps a draft that was opened again since', async () => {
    const { api, store, posts, composition } = await saved();
    store.discard(composition.id, NOON);
    write(store, { drafts: composition.drafts });

    await finishDiscards(api, store, NOON + 61_000);

    expect([posts.length, store.discarded()]).toEqual([1, []]);
  });

  it('keeps a draft that was opened again while Undo was offered', async () => {
    const { api, store, posts, composition } = await saved();
    store.discard(composition.id, NOON);
    const found = await findDrafts(api, composition, Date.now());
    write(store, { drafts: composition.drafts });

    const failures = await deleteDrafts(api, store, found);

    expect([failures, posts.length]).toEqual([[], 1]);
  });

  it('is tried again when the service did not answer, for a day', async () => {
    const { api, store, composition, refuse } = await saved();
    store.discard(composition.id, NOON);
    refuse(null);

    await finishDiscards(api, store, NOON + 61_000);
    const left = store.discarded().length;
    await finishDiscards(api, store, NOON + 86_401_000);

    expect([left, store.discarded()]).toEqual([1, []]);
  });
});
