/** A text whose draft was published or deleted elsewhere: it is not sent twice, and leaves no draft behind. */
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../console/app/data/connections.ts';
import { sendComposition } from '../../../console/app/views/compose/send-composition.ts';
import { BELL, fakeService, newStore, planned, sendingOf, sendPlanned, write } from './compose-world.ts';

const GONG: Connection = { ...BELL, id: 'gong', slug: 'gong' };
const CONNECTIONS = [BELL, GONG];
const DIRECTORY = { connections: CONNECTIONS, platforms: new Map() };

/** A text that is saved as a draft for the bell and one for the gong. */
async function saved() {
  const service = fakeService();
  const store = newStore();
  write(store, { targets: ['bell', 'gong'] });
  const sending = { ...sendingOf(service, store), connections: CONNECTIONS };
  const save = (replaces: Readonly<Record<'bell' | 'gong', readonly string[]>>) => {
    const requests = CONNECTIONS.flatMap((connection) =>
      planned({
        connectionSlugs: [connection.slug],
        isDraft: true,
        replaces: [...replaces[connection.slug as 'bell']],
      }),
    );
    return sendPlanned(sending, 'save', requests);
  };
  await save({ bell: [], gong: [] });
  return {
    service,
    store,
    save,
    turn: (id: string, changes: Partial<(typeof service.posts)[number]>) =>
      void Object.assign(service.posts.find((post) => post.id === id) ?? {}, changes),
    send: () => sendComposition(sending, DIRECTORY, () => undefined),
    /** What the service has, as slugs with statuses. */
    posts: () => service.posts.map(({ connectionSlug, status }) => `${connectionSlug} ${status}`),
  };
}

const UNKNOWN = { code: 'outcome_unknown', message: 'It may be there.' };

describe('a connection whose draft went out elsewhere', () => {
  it.each([
    ['sent', null, 'published'],
    ['processing', null, 'published'],
    ['scheduled', null, 'scheduled'],
    ['failed', UNKNOWN, 'published'],
  ] as const)('is not sent to again when the post is %s', async (status, error, words) => {
    const { store, turn, send, posts } = await saved();
    turn('post-1', { status, error });

    const refused = await send();
    const kept = store.current();
    await send();

    const shown = refused.elsewhere.map(({ connection, result }) => [connection?.id, result.status, result.warning]);
    expect(shown).toEqual([['bell', status, `Its draft was ${words} elsewhere.`]]);
    expect(kept).toMatchObject({ text: 'Ding', targets: ['gong'], drafts: { gong: 'post-2' }, pending: null });
    expect(posts()).toEqual([`bell ${status}`, 'gong sent']);
  });

  it('is not sent to either when a save noticed it', async () => {
    const { store, turn, save, send, posts } = await saved();
    turn('post-1', { status: 'sent' });

    const { elsewhere } = await save({ bell: ['post-1'], gong: ['post-2'] });
    const kept = store.current();
    await send();

    expect(elsewhere.map(({ connection }) => connection?.id)).toEqual(['bell']);
    expect(kept).toMatchObject({ targets: ['gong'], drafts: { gong: 'post-3' }, savedAs: null });
    expect(posts()).toEqual(['bell sent', 'gong sent']);
  });

  it.each([
    ['failed', { code: 'platform_rejected', message: 'No.' }],
    ['cancelled', null],
  ] as const)('is sent to at the next press when the post is %s', async (status, error) => {
    const { turn, send, posts } = await saved();
    turn('post-1', { status, error });

    const refused = await send();
    const before = posts();
    await send();

    expect([refused.failures.length, before]).toEqual([1, [`bell ${status}`, 'gong draft']]);
    expect(posts()).toEqual([`bell ${status}`, 'bell sent', 'gong sent']);
  });
});

it('a text whose draft was deleted elsewhere goes out at the next press', async () => {
  const { service, store, send, posts } = await saved();
  await service.api.posts.delete.mutate({ postId: 'post-1' });

  const refused = await send();
  const kept = store.current();
  await send();

  expect([refused.failures.length, refused.elsewhere]).toEqual([1, []]);
  expect(kept).toMatchObject({ targets: ['bell', 'gong'], drafts: { gong: 'post-2' } });
  expect(posts()).toEqual(['bell sent', 'gong sent']);
});

it('a text stays as it is, and nothing is sent, while the service does not say what its draft became', async () => {
  const { service, store, turn, save, posts } = await saved();
  turn('post-1', { status: 'sent' });
  const before = store.current();
  service.refuse('not_found');

  await save({ bell: ['post-1'], gong: ['post-2'] });
  service.refuse();

  expect(store.current()).toEqual(before);
  expect(posts()).toEqual(['bell sent', 'gong draft']);
});
