/** GET and PATCH /connections/{connectionId}/queue: the settings of a queue and its queued posts. */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { UNKNOWN_ID } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const MONDAY_NINE = { weekday: 1, time: '09:00' };
const FRIDAY_FIVE = { weekday: 5, time: '17:00' };

const path = (id: string) => `/connections/${id}/queue` as const;

async function withQueue(changes: object = { slots: [MONDAY_NINE, FRIDAY_FIVE] }) {
  const tenant = await accountWithSandbox(world);
  const answer = await world.rest(`PATCH ${path(tenant.connection.id)}`, { key: tenant.key, body: changes });
  return { ...tenant, answer };
}

const queued = (key: string, more: object = {}) =>
  world.rest('POST /posts', { key, body: { text: 'Ding', connectionSlugs: ['sandbox'], queue: true, ...more } });

describe('PATCH 200', () => {
  it('sets the slots in the order sent, and changes nothing else', async () => {
    const { connection, answer, key } = await withQueue({ slots: [FRIDAY_FIVE, MONDAY_NINE] });

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      connection: {
        id: connection.id,
        slug: 'sandbox',
        timezone: 'UTC',
        queueSlots: [FRIDAY_FIVE, MONDAY_NINE],
        paused: false,
      },
    });
    const { body } = await world.rest(`GET /connections/${connection.id}`, { key });
    expect(body.connection).toMatchObject({ queueSlots: [FRIDAY_FIVE, MONDAY_NINE], timezone: 'UTC' });
  });

  it('changes only time zone and pause', async () => {
    const { connection, key } = await withQueue();

    const zone = await world.rest(`PATCH ${path(connection.id)}`, { key, body: { timezone: 'Europe/Paris' } });
    const pause = await world.rest(`PATCH ${path(connection.id)}`, { key, body: { paused: true } });

    expect(zone.body.connection).toMatchObject({ timezone: 'Europe/Paris', queueSlots: [MONDAY_NINE, FRIDAY_FIVE] });
    expect(pause.body.connection).toMatchObject({ timezone: 'Europe/Paris', paused: true });
  });

  it('accepts fifty slots, and an empty list', async () => {
    const slots = Array.from({ length: 50 }, (_, index) => ({
      weekday: index % 7,
      time: `${String(index % 24).padStart(2, '0')}:${String(index).padStart(2, '0')}`,
    }));
    const { answer, connection, key } = await withQueue({ slots });

    const emptied = await world.rest(`PATCH ${path(connection.id)}`, { key, body: { slots: [] } });

    expect(answer.body.connection.queueSlots).toEqual(slots);
    expect(emptied.body.connection.queueSlots).toEqual([]);
  });

  it('does not move posts that are already queued', async () => {
    const { connection, key } = await withQueue();
    const { body } = await queued(key);

    await world.rest(`PATCH ${path(connection.id)}`, {
      key,
      body: { slots: [{ weekday: 3, time: '12:00' }], timezone: 'Asia/Tokyo' },
    });

    const { body: listed } = await world.rest(`GET ${path(connection.id)}`, { key });
    expect(listed.queue).toMatchObject([{ scheduledFor: body.results[0].scheduledFor }]);
    const next = await queued(key);
    expect(next.body.results[0].scheduledFor).toBe('2026-11-25T03:00:00.000Z');
  });
});

describe('PATCH 400 invalid_request', () => {
  it.each<[string, object, string]>([
    ['an empty body', {}, 'body: name at least one of slots, timezone, paused.'],
    ['an unknown field', { slot: [] }, 'body: expected no field called "slot".'],
    ['a weekday of 7', { slots: [{ weekday: 7, time: '09:00' }] }, 'slots.0.weekday: expected at most 6.'],
    [
      'the time 24:00',
      { slots: [{ weekday: 1, time: '24:00' }] },
      'slots.0.time: expected a time HH:MM from 00:00 to 23:59.',
    ],
    [
      'the same slot twice',
      { slots: [MONDAY_NINE, FRIDAY_FIVE, MONDAY_NINE] },
      'slots.2: expected a slot that is not in the list yet (1 09:00 is).',
    ],
    ['an unknown zone', { timezone: 'Mars/Olympus' }, 'timezone: expected an IANA time zone such as Europe/Paris.'],
    ['an abbreviation as a zone', { timezone: 'PST' }, 'timezone: expected an IANA time zone such as Europe/Paris.'],
    ['a bare offset as a zone', { timezone: '+01:00' }, 'timezone: expected an IANA time zone such as Europe/Paris.'],
    ['null for paused', { paused: null }, 'paused: expected a boolean.'],
    [
      'fifty-one slots',
      {
        slots: Array.from({ length: 51 }, (_, minute) => ({
          weekday: 1,
          time: `10:${String(minute).padStart(2, '0')}`,
        })),
      },
      'slots: expected at most 50 items.',
    ],
  ])('refuses %s, and changes nothing', async (_case, changes, message) => {
    const { connection, key } = await withQueue();

    const { status, body } = await world.rest(`PATCH ${path(connection.id)}`, { key, body: changes });

    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', message]);
    const { body: present } = await world.rest(`GET /connections/${connection.id}`, { key });
    expect(present.connection).toMatchObject({ timezone: 'UTC', queueSlots: [MONDAY_NINE, FRIDAY_FIVE] });
  });

  it('refuses a malformed id', async () => {
    const { status, body } = await world.rest('GET /connections/nine/queue');

    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('404 not_found', () => {
  it('has the same body for an unknown, another account’s, a deleted and an out-of-scope connection', async () => {
    const { connection } = await withQueue();
    const profile = await world.profile();
    const { secret } = await world.key({ profileId: profile.id });
    const own = await connectSandbox(world);
    const gone = await connectSandbox(world);
    await world.rest(`DELETE /connections/${gone.id}`);
    const asked: [string, string][] = [
      ['00000000-0000-7000-8000-000000000000', world.liveKey],
      [connection.id, world.liveKey],
      [gone.id, world.liveKey],
      [own.id, secret],
    ];

    for (const [id, key] of asked) {
      const read = await world.rest(`GET ${path(id)}`, { key });
      const write = await world.rest(`PATCH ${path(id)}`, { key, body: { paused: true } });
      expect([read.status, read.body.error, write.status, write.body.error]).toEqual([
        404,
        'not_found',
        404,
        'not_found',
      ]);
    }
  });
});

describe('GET 200', () => {
  it('lists queued posts, earliest slot first, without posts scheduled by hand', async () => {
    const { connection, key } = await withQueue();
    await makePost(world, 'sandbox', { key, scheduledFor: '2026-11-22T09:00:00Z' });
    const first = await queued(key, { text: 'First' });
    const second = await queued(key, { text: 'Second' });

    const { status, body } = await world.rest(`GET ${path(connection.id)}`, { key });

    expect(status).toBe(200);
    expect(body).toEqual({
      queue: [
        {
          id: first.body.results[0].postId,
          text: 'First',
          scheduledFor: '2026-11-23T09:00:00.000Z',
          mediaCount: 0,
        },
        {
          id: second.body.results[0].postId,
          text: 'Second',
          scheduledFor: '2026-11-27T17:00:00.000Z',
          mediaCount: 0,
        },
      ],
      paused: false,
      nextCursor: null,
    });
  });

  it('excludes sent, failed and cancelled posts', async () => {
    await using fresh = await startWorld();
    const slots = [1, 2, 3].map((weekday) => ({ weekday, time: '09:00' }));
    const [{ id }] = (await fresh.rest('GET /connections')).body.connections;
    await fresh.rest(`PATCH ${path(id)}`, { body: { slots } });
    const ids: string[] = [];
    for (const text of ['Sent', '[[reject]]', 'Cancelled']) {
      const { body } = await fresh.rest('POST /posts', { body: { text, connectionSlugs: ['sandbox'], queue: true } });
      ids.push(body.results[0].postId);
    }
    await fresh.rest(`DELETE /posts/${ids[2]}`);

    for (const day of [23, 24]) {
      fresh.clock.set(new Date(`2026-11-${day}T09:00:00Z`));
      await fresh.runDue();
    }

    const { body } = await fresh.rest(`GET ${path(id)}`);
    expect(body).toEqual({ queue: [], paused: false, nextCursor: null });
  });
});

describe('pages of a queue', () => {
  /** A queue of four posts. */
  async function queueOfFour() {
    const { key, connection } = await accountWithSandbox(world);
    const slots = [0, 1, 2, 3, 4].map((weekday) => ({ weekday, time: '09:00' }));
    await world.rest(`PATCH ${path(connection.id)}`, { key, body: { slots } });
    const ids: string[] = [];
    for (let number = 0; number < 4; number += 1) {
      const body = { text: 'Ding', connectionSlugs: [connection.slug], queue: true };
      ids.push((await world.rest('POST /posts', { key, body })).body.results[0].postId);
    }
    const read = async (search: string) => (await world.rest(`GET ${path(connection.id)}${search}`, { key })).body;
    return { key, connection, ids, read };
  }

  const idsIn = ({ queue }: { queue: { id: string }[] }) => queue.map(({ id }) => id);

  it('continue after a post that has left the queue', async () => {
    const { key, ids, read } = await queueOfFour();

    const first = await read('?limit=2');
    await world.rest(`DELETE /posts/${ids[1]}`, { key });
    const second = await read(`?limit=2&cursor=${first.nextCursor}`);

    expect([idsIn(first), idsIn(second), second.nextCursor]).toEqual([ids.slice(0, 2), ids.slice(2), null]);
  });

  it.each([
    ['later', 'queue'],
    ['earlier', 'soon'],
  ])('continue at their place when their last post moves %s', async (_where, to) => {
    const { key, ids, read } = await queueOfFour();
    const first = await read('?limit=3');
    const soon = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const body = to === 'queue' ? { queue: true } : { scheduledFor: soon };

    await world.rest(`POST /posts/${ids[2]}/reschedule`, { key, body });

    const second = idsIn(await read(`?cursor=${first.nextCursor}`));
    expect([idsIn(first), second]).toEqual([ids.slice(0, 3), to === 'queue' ? [ids[3], ids[2]] : [ids[3]]]);
  });

  it.each([
    UNKNOWN_ID,
    '2026-02-30T09:00:00.000Z_00000000-0000-0000-0000-000000000000',
    '0000-01-01T00:00:00.000Z_00000000-0000-0000-0000-000000000000',
    'x',
  ])('have no cursor such as %s', async (cursor) => {
    const { key, connection } = await accountWithSandbox(world);

    const { status, body } = await world.rest(`GET ${path(connection.id)}?cursor=${cursor}`, { key });

    expect([status, body.error, body.message]).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('cursor: expected the nextCursor of a page of the queue'),
    ]);
  });
});
