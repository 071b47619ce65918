/** Compose with the post of a request for approval: one press approves it, and sends new posts to the other connections. */
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../console/app/data/connections.ts';
import type { Api } from '../../../console/app/data/api-types.ts';
import { latenessWords } from '../../../console/app/views/compose/approval.ts';
import { newComposition } from '../../../console/app/views/compose/composition.ts';
import { planSend } from '../../../console/app/views/compose/plan-send.ts';
import { sendComposition } from '../../../console/app/views/compose/send-composition.ts';
import { BELL, fakeService, newStore, refusal, write } from './compose-world.ts';

const NOON = Date.parse('2026-11-21T12:00:00.000Z');
const GONG: Connection = { ...BELL, id: 'gong', slug: 'gong' };
const DIRECTORY = { connections: [BELL, GONG], platforms: new Map() };

const REQUESTED_AT = '2026-11-21T11:00:00.000Z';
const APPROVAL = {
  postId: 'asked',
  connectionId: BELL.id,
  requestedAt: REQUESTED_AT,
  requestedBy: 'Careful agent',
  plan: { scheduledFor: null, queue: false },
};

/** A text for both connections, of which an agent asked for one, and a service that answers decisions so. */
function edited(decide: () => object) {
  const service = fakeService();
  const store = newStore();
  write(store, { targets: [BELL.id, GONG.id], approval: APPROVAL });
  const post = {
    id: 'asked',
    status: 'draft',
    platformId: BELL.platformId,
    connectionSlug: 'bell',
    originalText: 'Dnig',
    thread: [],
    firstComment: null,
    tags: [],
    media: [],
    approval: { state: 'pending', requestedAt: REQUESTED_AT },
  };
  const decisions: object[] = [];
  const approve = async (input: object) => {
    decisions.push(input);
    return { result: decide() };
  };
  const api = {
    ...service.api,
    posts: { ...service.api.posts, get: { query: async () => ({ post }) } },
    approvals: { approve: { mutate: approve } },
  } as unknown as Api;
  const { connections } = DIRECTORY;
  return {
    ...service,
    store,
    decisions,
    send: () =>
      sendComposition({ api, store, compositionId: store.current().id, connections }, DIRECTORY, () => undefined),
  };
}

const result = (status: string, error: object | null = null) => ({
  connectionSlug: 'bell',
  status,
  postId: 'asked',
  error,
});

describe('one press', () => {
  it('approves the post with its changes, creates the other one, and leaves nothing to send', async () => {
    const { send, store, decisions, textsOf } = edited(() => result('sent'));

    const { results } = await send();

    expect(decisions).toEqual([{ postId: 'asked', requestedAt: REQUESTED_AT, text: 'Ding' }]);
    expect(textsOf('sent')).toEqual(['Ding']);
    expect(results.map(({ connection, result: { postId } }) => [connection?.id, postId])).toEqual([
      ['bell', 'asked'],
      ['gong', 'post-1'],
    ]);
    expect(store.current()).toMatchObject({ text: '', targets: [], approval: null });
  });

  it('keeps the request of a post that was refused, to send it again', async () => {
    const { send, store } = edited(() => {
      throw refusal('queue_full');
    });

    await send();

    expect(store.current()).toMatchObject({ text: 'Ding', targets: ['bell'], approval: APPROVAL, pending: null });
  });

  it('leaves a post that failed to be sent as a new one', async () => {
    const { send, store } = edited(() => result('failed', { code: 'platform_rejected', message: 'No.' }));

    await send();

    expect(store.current()).toMatchObject({ text: 'Ding', targets: ['bell'], approval: null, pending: null });
  });

  it('has its requests asked about again when the answer was lost', async () => {
    let isLost = true;
    const { send, store, decisions } = edited(() => {
      if (isLost) throw refusal(null);
      return result('sent');
    });
    await send();
    const { pending } = store.current();
    isLost = false;

    await send();

    expect([pending?.kind, pending?.requests.map(({ approval }) => approval?.postId)]).toEqual(['send', ['asked']]);
    expect(decisions).toHaveLength(2);
    expect(store.current()).toMatchObject({ text: '', targets: [], approval: null, pending: null });
  });
});

it.each([
  ['as it was asked for', { when: 'now' }, { scheduledFor: null, queue: false }, true],
  ['at another time', { when: 'time', time: '2026-12-01T09:00' }, { scheduledFor: null, queue: false }, false],
  ['in the next free slot, as it was asked for', { when: 'queue' }, { scheduledFor: null, queue: true }, true],
  ['now instead of in a slot', { when: 'now' }, { scheduledFor: null, queue: true }, false],
  [
    'at the same instant on another clock',
    { when: 'time', time: '2026-12-01T10:00', zone: 'Europe/Paris' },
    { scheduledFor: '2026-12-01T09:00:30.000Z', queue: false },
    true,
  ],
  ['now because its time has passed', { when: 'now' }, { scheduledFor: REQUESTED_AT, queue: false }, true],
  [
    'at its time, which has passed meanwhile',
    { when: 'time', time: '2026-11-21T11:00', zone: 'UTC' },
    { scheduledFor: REQUESTED_AT, queue: false },
    false,
  ],
] as const)('a post that goes out %s', (_when, changes, plan, followsPlan) => {
  const composition = write(newStore(), { ...changes, approval: { ...APPROVAL, plan } });

  const planned = planSend(composition, DIRECTORY, NOON);

  expect(planned.map(({ approval }) => approval?.followsPlan)).toEqual([followsPlan]);
});

it('a request whose connection is not chosen is not sent', () => {
  const composition = write(newStore(), { targets: [GONG.id], approval: APPROVAL });

  const planned = planSend(composition, DIRECTORY, NOON);

  expect(planned).toEqual([{ connections: [GONG], input: { text: 'Ding', connectionSlugs: ['gong'] } }]);
});

describe('the note about a time that has passed', () => {
  const past = { when: 'time', time: '2026-11-21T11:00' } as const;

  it.each([
    ['says that the post goes out at once', { when: 'now' }, 'so it goes out at once'],
    ['asks for another time while the old one is chosen', past, 'choose Now or another time'],
    ['says nothing once a later time is chosen', { when: 'time', time: '2026-11-21T13:00' }, null],
    ['says nothing while the time is being chosen', { when: 'time', time: '' }, null],
    ['says nothing about a draft', { when: 'draft' }, null],
    ['says nothing about the queue', { when: 'queue' }, null],
  ] as const)('%s', (_what, fields, words) => {
    const composition = { ...newComposition(), zone: 'UTC', ...fields };
    const plan = { scheduledFor: '2026-11-21T11:00:00.000Z', queue: false };

    const said = latenessWords(composition, plan, NOON);

    expect(said).toEqual(words === null ? null : expect.stringContaining(words));
    expect(latenessWords(composition, { ...plan, scheduledFor: null }, NOON)).toBeNull();
  });
});
