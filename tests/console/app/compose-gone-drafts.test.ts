/** A text whose draft was published or deleted elsewhere: it is not sent twice unasked, and leaves no draft behind. */
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../console/app/data/connections.ts';
import type { CreateInput } from '../../../console/app/views/compose/composition.ts';
import { sendComposition } from '../../../console/app/views/compose/send-composition.ts';
import { acceptLost, lostTargets } from '../../../console/app/views/compose/lost-drafts.ts';
import {
  BELL,
  fakeService,
  type FakeService,
  newStore,
  planned,
  sendingOf,
  sendPlanned,
  write,
} from './compose-world.ts';

const GONG: Connection = { ...BELL, id: 'gong', slug: 'gong' };
const CONNECTIONS = [BELL, GONG];
const DIRECTORY = { connections: CONNECTIONS, platforms: new Map() };

/** A text that is saved as a draft for the bell and one for the gong. */
async function saved(service = fakeService()) {
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
    /** What a press of the button does, once a running save has ended. */
    send: () => sendComposition(sending, DIRECTORY, () => undefined),
    /** A press of the button. */
    press: () => {
      acceptLost(store, store.current().id);
      return sendComposition(sending, DIRECTORY, () => undefined);
    },
    /** Publishes from another device, where the draft was opened with Edit. */
    sendElsewhere: (input: Partial<CreateInput> = {}) =>
      service.api.posts.create.mutate({
        text: 'Ding',
        connectionSlugs: ['bell'],
        replaces: ['post-1'],
        idempotencyKey: 'another device',
        ...input,
      }),
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
    const { store, turn, press, posts } = await saved();
    turn('post-1', { status, error });

    const refused = await press();
    const kept = store.current();
    await press();

    const shown = refused.elsewhere.map(({ connection, result }) => [connection?.id, result.status, result.warning]);
    expect(shown).toEqual([['bell', status, `Its draft was ${words} elsewhere.`]]);
    expect(kept).toMatchObject({ text: 'Ding', targets: ['gong'], drafts: { gong: 'post-2' }, pending: null });
    expect(posts()).toEqual([`bell ${status}`, 'gong sent']);
  });

  it('is not sent to either when a save noticed it', async () => {
    const { store, turn, save, press, posts } = await saved();
    turn('post-1', { status: 'sent' });

    const { elsewhere } = await save({ bell: ['post-1'], gong: ['post-2'] });
    const kept = store.current();
    await press();

    expect(elsewhere.map(({ connection }) => connection?.id)).toEqual(['bell']);
    expect(kept).toMatchObject({ targets: ['gong'], drafts: { gong: 'post-3' }, savedAs: null });
    expect(posts()).toEqual(['bell sent', 'gong sent']);
  });

  it.each([
    ['failed', { code: 'platform_rejected', message: 'No.' }],
    ['cancelled', null],
  ] as const)('is sent to at the next press when the post is %s', async (status, error) => {
    const { turn, press, posts } = await saved();
    turn('post-1', { status, error });

    const refused = await press();
    const before = posts();
    await press();

    expect([refused.failures.length, before]).toEqual([1, [`bell ${status}`, 'gong draft']]);
    expect(posts()).toEqual([`bell ${status}`, 'bell sent', 'gong sent']);
  });
});

describe('a text that was sent from another device, which deletes its draft,', () => {
  it.each([
    ['published', {}, 'sent'],
    ['scheduled', {}, 'scheduled'],
  ] as const)('is not sent there again when it was %s', async (words, input, status) => {
    const { store, save, press, turn, sendElsewhere, posts } = await saved();
    await sendElsewhere(input);
    turn('post-3', { status });

    const { elsewhere } = await save({ bell: ['post-1'], gong: ['post-2'] });
    const kept = store.current();
    await press();

    const shown = elsewhere.map(({ connection, result }) => [connection?.id, result.postId, result.warning]);
    expect(shown).toEqual([['bell', 'post-3', `Its draft was ${words} elsewhere.`]]);
    expect([kept.targets, lostTargets(kept)]).toEqual([['gong'], []]);
    expect(posts()).toEqual([`bell ${status}`, 'gong sent']);
  });

  it('is not sent there again by a press, or once it was changed here', async () => {
    const { store, press, sendElsewhere, posts } = await saved();
    await sendElsewhere();
    store.change({ text: 'Ding dong' });

    const { elsewhere } = await press();
    await press();

    expect(elsewhere.map(({ connection }) => connection?.id)).toEqual(['bell']);
    expect(posts()).toEqual(['bell sent', 'gong sent']);
  });

  it('is not sent there again when the platform has its own text', async () => {
    const { store, save, press, sendElsewhere, posts } = await saved();
    store.change({ variants: { sandbox: 'Dang' } });
    await save({ bell: ['post-1'], gong: ['post-2'] });
    await sendElsewhere({ text: 'Dang', replaces: ['post-3'] });

    await press();
    await press();

    expect(posts()).toEqual(['bell sent', 'gong sent']);
  });

  it.each<[string, (text: Awaited<ReturnType<typeof saved>>) => Promise<unknown>]>([
    ['with another text', ({ sendElsewhere }) => sendElsewhere({ text: 'Dang' })],
    [
      'and cancelled there',
      async ({ sendElsewhere, turn }) => {
        await sendElsewhere();
        turn('post-3', { status: 'cancelled' });
      },
    ],
    ['to another connection', ({ sendElsewhere }) => sendElsewhere({ connectionSlugs: ['clapper'] })],
  ])('is sent there at the next press after a warning, when it was sent %s', async (_what, sendThere) => {
    const text = await saved();
    const { store, save, send, press, posts } = text;
    await sendThere(text);
    const before = posts().filter((post) => post.startsWith('bell'));
    await save({ bell: ['post-1'], gong: ['post-2'] });

    const unseen = await send();
    const warned = [lostTargets(store.current()), posts().includes('gong sent')];
    await press();

    expect([unseen.results, warned]).toEqual([[], [['bell'], false]]);
    expect(posts().filter((post) => post.startsWith('bell'))).toEqual([...before, 'bell sent']);
  });

  it('is not taken for a post that was there before the draft', async () => {
    const earlier = fakeService();
    await earlier.api.posts.create.mutate({ text: 'Ding', connectionSlugs: ['bell'], idempotencyKey: 'earlier' });
    const { service, store, save } = await saved(earlier);
    await service.api.posts.delete.mutate({ postId: 'post-2' });

    const { elsewhere } = await save({ bell: ['post-2'], gong: ['post-3'] });

    expect([elsewhere, lostTargets(store.current())]).toEqual([[], ['bell']]);
  });

  it('keeps its draft, and is not sent, while its posts cannot be listed', async () => {
    const { service, store, press, sendElsewhere, posts } = await saved();
    await sendElsewhere();
    service.refuseReads('internal_server_error', 'lists');

    await press();
    await press();

    expect(store.current()).toMatchObject({ targets: ['bell', 'gong'], drafts: { bell: 'post-1', gong: 'post-2' } });
    expect(posts()).toEqual(['gong draft', 'bell sent']);
  });
});

it('a text whose draft was deleted elsewhere goes out at the next press, after a warning', async () => {
  const { service, store, press, posts } = await saved();
  await service.api.posts.delete.mutate({ postId: 'post-1' });

  const refused = await press();
  const kept = store.current();
  const warned = lostTargets(kept);
  await press();

  expect([refused.failures.length, refused.elsewhere, warned]).toEqual([1, [], ['bell']]);
  expect(kept).toMatchObject({ targets: ['bell', 'gong'], drafts: { gong: 'post-2' } });
  expect(posts()).toEqual(['bell sent', 'gong sent']);
});

describe('the warning of a draft that was deleted elsewhere', () => {
  async function warned() {
    const text = await saved();
    await text.service.api.posts.delete.mutate({ postId: 'post-1' });
    await text.save({ bell: ['post-1'], gong: ['post-2'] });
    return { ...text, warnings: () => lostTargets(text.store.current()) };
  }

  it('stays when the text is saved anew', async () => {
    const { save, warnings } = await warned();
    await save({ bell: [], gong: ['post-3'] });

    expect(warnings()).toEqual(['bell']);
  });

  it.each([
    ['something else is written', { text: 'Ding dong' }],
    ['its connection is no longer chosen', { targets: ['gong'] }],
  ])('goes when %s', async (_what, changes) => {
    const { store, warnings } = await warned();
    store.change(changes);

    expect(warnings()).toEqual([]);
  });

  it('goes when the button is pressed nevertheless', async () => {
    const { store, warnings } = await warned();
    acceptLost(store, store.current().id);

    expect(warnings()).toEqual([]);
  });
});

it('a text keeps its draft, and is not sent, while the service does not say what that became', async () => {
  const { service, store, turn, press, posts } = await saved();
  turn('post-1', { status: 'sent' });
  service.refuseReads('internal_server_error');

  await press();
  await press();

  expect(store.current()).toMatchObject({ targets: ['bell', 'gong'], drafts: { bell: 'post-1', gong: 'post-2' } });
  expect(posts()).toEqual(['bell sent', 'gong draft']);
});

it('a text whose session may not read posts goes on without the refused drafts, after a warning', async () => {
  const { service, store, turn, press, posts } = await saved();
  turn('post-1', { status: 'sent' });
  service.refuseReads('forbidden');

  const refused = await press();
  const kept = store.current();
  await press();

  expect([refused.failures.length, refused.elsewhere, lostTargets(kept)]).toEqual([1, [], ['bell', 'gong']]);
  expect(kept).toMatchObject({ text: 'Ding', targets: ['bell', 'gong'], drafts: {}, pending: null });
  expect(posts()).toEqual(['bell sent', 'gong draft', 'bell sent', 'gong sent']);
});

describe('however many newer drafts there are', () => {
  /** Drafts of others, newer than those of the text. */
  const addDrafts = async ({ api }: FakeService, count: number) => {
    for (let left = count; left > 0; left -= 1) {
      const input = { text: 'Another one', connectionSlugs: ['clapper'], isDraft: true, idempotencyKey: `${left}` };
      await api.posts.create.mutate(input);
    }
  };

  it('only the named ones are read', async () => {
    const { service, turn, save } = await saved();
    await addDrafts(service, 300);
    turn('post-1', { status: 'sent' });
    service.calls.splice(0);

    const { elsewhere } = await save({ bell: ['post-1'], gong: ['post-2'] });

    expect(elsewhere.map(({ connection }) => connection?.id)).toEqual(['bell']);
    expect(service.calls).toEqual(['create', 'create', 'get post-1']);
  });

  it('the present state of very many named ones is read in few requests', async () => {
    const chimes = Array.from({ length: 60 }, (_, index): Connection => {
      return { ...BELL, id: `chime-${index}`, slug: `chime-${index}` };
    });
    const service = fakeService();
    const store = newStore();
    write(store, { targets: chimes.map(({ id }) => id) });
    const sending = { ...sendingOf(service, store), connections: chimes };
    const slugs = chimes.map(({ slug }) => slug);
    await sendPlanned(sending, 'save', planned({ connectionSlugs: slugs.slice(0, 30), isDraft: true }));
    await addDrafts(service, 300);
    await sendPlanned(sending, 'save', planned({ connectionSlugs: slugs.slice(30), isDraft: true }));
    const replaces = Object.values(store.current().drafts);
    const [first = '', second = ''] = replaces;
    const last = replaces.at(-1) ?? '';
    Object.assign(service.posts.find(({ id }) => id === first) ?? {}, { status: 'sent' });
    await service.api.posts.delete.mutate({ postId: second });
    await service.api.posts.delete.mutate({ postId: last });
    service.calls.splice(0);

    const { elsewhere } = await sendPlanned(
      sending,
      'save',
      planned({ connectionSlugs: slugs, isDraft: true, replaces }),
    );

    expect(elsewhere.map(({ connection }) => connection?.id)).toEqual(['chime-0']);
    expect(lostTargets(store.current())).toEqual(['chime-1', 'chime-59']);
    expect(Object.values(store.current().drafts)).toEqual(replaces.slice(2, -1));
    // The last two look for posts in place of the missing ones.
    const reads = [`get ${last}`, 'list', expect.stringMatching(/^get post-/), 'list', 'list', 'list'];
    expect(service.calls).toEqual(['create', ...reads]);
  });
});
