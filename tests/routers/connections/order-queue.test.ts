/**
 * PUT /connections/{connectionId}/queue/order: queued posts exchange their places, all of them or none. One of several
 * concurrent requests wins (docs/contract/scheduling.md#order-of-a-queue).
 */
import { describe, expect, it } from 'vitest';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { UNKNOWN_ID } from '../../harness/expected.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '09:00' }));
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Queued {
  readonly id: string;
  readonly text: string;
  readonly scheduledFor: string;
}

const path = (id: string) => `/connections/${id}/queue` as const;
const inMinutes = (minutes: number) => new Date(world.clock.now().getTime() + minutes * MINUTE_MS).toISOString();
const until = (time: string) => new Date(time).getTime() - world.clock.now().getTime();

/** A separate account with posts in the queue of its sandbox, at 09:00 of each of the coming days. */
async function queueOf<const Texts extends readonly string[]>(...texts: Texts) {
  const { key, connection } = await accountWithSandbox(world);
  const { id } = connection;
  const set = (body: object) => world.rest(`PATCH ${path(id)}`, { key, body });
  await set({ slots: EVERY_DAY });
  const queue = async (text: string, connectionSlugs = ['sandbox']): Promise<Queued> => {
    const { body } = await world.rest('POST /posts', { key, body: { text, connectionSlugs, queue: true } });
    const [{ postId, scheduledFor }] = body.results;
    return { id: postId, text, scheduledFor };
  };
  const posts: Queued[] = [];
  for (const text of texts) posts.push(await queue(text));
  const read = async (postId: string) => (await world.rest(`GET /posts/${postId}`, { key })).body.post;
  return {
    key,
    connectionId: id,
    posts: posts as unknown as { [Index in keyof Texts]: Queued },
    set,
    queue,
    read,
    order: (...ordered: readonly (Queued | string)[]) =>
      world.rest(`PUT ${path(id)}/order`, {
        key,
        body: { postIds: ordered.map((post) => (typeof post === 'string' ? post : post.id)) },
      }),
    list: async () => (await world.rest(`GET ${path(id)}`, { key })).body,
    /** The texts that went out, in their order. */
    sent: async () => (await sandboxOf(world, id)).map(({ text }) => text),
  };
}

/** A queue as answers show it: each post at the place of the one beside it. */
const shows = (...places: readonly (readonly [Queued, Queued])[]) => ({
  queue: places.map(([{ id, text }, { scheduledFor }]) => ({ id, text, scheduledFor, mediaCount: 0 })),
  paused: false,
  nextCursor: null,
});

const orderedBy = (posts: readonly Queued[]) => shows(...posts.map((post) => [post, post] as const));

const requeued = (post: Queued, scheduledFor: string) => [
  {
    name: 'post.rescheduled',
    payload: { post: { id: post.id, connectionSlug: 'sandbox', scheduledFor, reason: 'requeued', profileId: null } },
  },
];

describe('200', () => {
  it('exchanges two posts, leaves the others, and emits one event for each that moved', async () => {
    const { posts, order, list } = await queueOf('First', 'Second', 'Third');
    const [first, second, third] = posts;

    const { status, body } = await order(third, first);

    const changed = shows([third, first], [second, second], [first, third]);
    expect([status, body]).toEqual([200, changed]);
    expect(await list()).toEqual(changed);
    expect(await eventsAbout(world, third.id)).toMatchObject(requeued(third, first.scheduledFor));
    expect(await eventsAbout(world, second.id)).toEqual([]);
    expect(await eventsAbout(world, first.id)).toMatchObject(requeued(first, third.scheduledFor));
  });

  it('takes a whole order, and the posts go out in it', async () => {
    const { posts, order, sent } = await queueOf('First', 'Second', 'Third', 'Fourth');
    const [first, second, third, fourth] = posts;

    const { body } = await order(fourth, second, first, third);
    const unmoved = await eventsAbout(world, second.id);
    for (const { scheduledFor } of posts) await world.advance(until(scheduledFor));

    expect(body).toEqual(shows([fourth, first], [second, second], [first, third], [third, fourth]));
    expect(unmoved).toEqual([]);
    expect(await sent()).toEqual(['Fourth', 'Second', 'First', 'Third']);
  });

  it('shares out only the places of the posts that are named', async () => {
    const { posts, order } = await queueOf('First', 'Second', 'Third', 'Fourth');
    const [first, second, third, fourth] = posts;

    const { body } = await order(fourth, third, second);

    expect(body).toEqual(shows([first, first], [fourth, second], [third, third], [second, fourth]));
  });

  it('changes and emits nothing for the order that the queue has, and for a single post', async () => {
    const { posts, order } = await queueOf('First', 'Second');
    const [first, second] = posts;
    await order(second, first);

    const answers = [await order(second, first), await order(first)];

    const kept = shows([second, first], [first, second]);
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, kept],
      [200, kept],
    ]);
    expect(await eventsAbout(world, first.id)).toHaveLength(1);
    expect(await eventsAbout(world, second.id)).toHaveLength(1);
  });

  it('keeps every slot taken: the next queued post gets the next free one', async () => {
    const { posts, order, queue } = await queueOf('First', 'Second', 'Third');
    const [first, second, third] = posts;
    await order(third, second, first);

    const fourth = await queue('Fourth');

    expect(Date.parse(fourth.scheduledFor) - Date.parse(third.scheduledFor)).toBe(DAY_MS);
  });

  it('is recorded in the audit under the connection', async () => {
    const { key, posts, order, connectionId } = await queueOf('First', 'Second');

    await order(posts[1], posts[0]);

    const { body } = await world.rest('GET /audit?operation=connections.orderQueue', { key });
    expect(body.entries).toMatchObject([{ object: { type: 'connection', ids: [connectionId] }, outcome: 'ok' }]);
  });
});

describe('a place', () => {
  it('of a post that waits for a repeat holds no slot, and the post that leaves it has all its repeats again', async () => {
    const { posts, order, list, read, queue } = await queueOf('Busy [[unavailable]]', 'Second');
    const [busy, second] = posts;
    await world.advance(until(busy.scheduledFor));
    const repeat = (await list()).queue[0].scheduledFor;

    const { body } = await order(second, busy);
    await world.advance(until(repeat));
    const next = await queue('Third');
    await world.advance(until(second.scheduledFor));
    const tries: number[] = [];
    for (const minutes of [1, 5, 15]) {
      await world.advance(minutes * MINUTE_MS);
      tries.push((await read(busy.id)).tries);
    }

    expect(body).toEqual(shows([second, { ...busy, scheduledFor: repeat }], [busy, second]));
    expect(await read(second.id)).toMatchObject({ status: 'sent', scheduledFor: repeat });
    expect(Date.parse(next.scheduledFor) - Date.parse(second.scheduledFor)).toBe(DAY_MS);
    expect(tries).toEqual([3, 4, 5]);
    expect(await read(busy.id)).toMatchObject({ status: 'failed', error: { code: 'platform_unavailable' } });
  });

  it('that is due goes to the post that is named first, which goes out at once', async () => {
    const { posts, order, read, sent } = await queueOf('First', 'Second');
    const [first, second] = posts;
    world.clock.advance(until(first.scheduledFor) + 1000);

    await order(second, first);
    await world.runDue();

    expect(await sent()).toEqual(['Second']);
    expect(await read(first.id)).toMatchObject({ status: 'scheduled', scheduledFor: second.scheduledFor });
  });

  it('that is due in a paused queue keeps its post back, and resuming follows the new order', async () => {
    const { posts, order, set, list, sent } = await queueOf('First', 'Second', 'Third');
    const [first, second, third] = posts;
    await set({ paused: true });
    await world.advance(until(second.scheduledFor) + 10 * MINUTE_MS);

    const { body } = await order(third, second, first);
    await world.advance(until(third.scheduledFor) + 10 * MINUTE_MS);
    const held = [await sent(), await list()];
    await set({ paused: false });

    const paused = { ...shows([third, first], [second, second], [first, third]), paused: true };
    expect([body, ...held]).toEqual([paused, [], paused]);
    const later = (post: Queued) => new Date(Date.parse(post.scheduledFor) + 3 * DAY_MS).toISOString();
    expect((await list()).queue).toEqual(
      [third, second, first].map(({ id, text }, index) => ({
        id,
        text,
        scheduledFor: later([first, second, third][index] as Queued),
        mediaCount: 0,
      })),
    );
  });

  it('that comes lets a post go out that a paused queue had kept back before', async () => {
    const { posts, order, set, sent } = await queueOf('Kept back', 'Coming');
    const [kept, coming] = posts;
    await set({ paused: true });
    await world.advance(until(kept.scheduledFor) + 10 * MINUTE_MS);
    await order(coming, kept);

    await set({ paused: false });
    await world.advance(until(coming.scheduledFor));

    expect(await sent()).toEqual(['Kept back']);
  });
});

describe('a concurrent operation', () => {
  it('of the worker wins once it has claimed a post: 409 post_not_cancellable, and nothing moves', async () => {
    const { posts, order, read, list } = await queueOf('First', 'Second', 'Third');
    const [first, second, third] = posts;
    world.clock.advance(until(first.scheduledFor));
    const { sends } = await claimDueSends(world.context);

    const { status, body } = await order(third, second, first);

    expect([status, body.error, body.message]).toEqual([
      409,
      'post_not_cancellable',
      `A worker is sending the post ${first.id}, so the queue keeps its order. Leave the post out, or read the queue again in a few seconds.`,
    ]);
    expect(await list()).toEqual(orderedBy(posts));
    await Promise.all(sends.map((send) => world.context.sends.send(send)));
    expect(await read(first.id)).toMatchObject({ status: 'sent' });
    expect((await order(third, second)).body).toEqual(shows([third, second], [second, third]));
  });

  it('of the worker has one winner: the post that holds the due place at the end is sent, and only that one', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { posts, order, read, sent } = await queueOf('First', 'Second');
      const [first, second] = posts;
      world.clock.advance(until(first.scheduledFor));

      const [{ status }] = await Promise.all([order(second, first), world.runDue()]);
      await world.runDue();

      const [out, waits] = status === 200 ? [second, first] : [first, second];
      expect(await sent()).toEqual([out.text]);
      expect(await read(out.id)).toMatchObject({ status: 'sent', scheduledFor: first.scheduledFor });
      expect(await read(waits.id)).toMatchObject({ status: 'scheduled', scheduledFor: second.scheduledFor });
    }
  });

  it('that cancels a post has one winner: the post moves first, or the whole order is refused', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { key, posts, order, read } = await queueOf('First', 'Second');
      const [first, second] = posts;

      const [ordered, cancelled] = await Promise.all([
        order(second, first),
        world.rest(`DELETE /posts/${first.id}`, { key }),
      ]);

      const isMoved = ordered.status === 200;
      expect([ordered.status, ordered.body.error]).toEqual(isMoved ? [200, undefined] : [400, 'invalid_request']);
      expect(cancelled.body).toEqual({ id: first.id, status: 'cancelled' });
      expect(await read(first.id)).toMatchObject({ status: 'cancelled' });
      expect(await read(second.id)).toMatchObject({ scheduledFor: (isMoved ? first : second).scheduledFor });
      expect(await eventsAbout(world, first.id)).toHaveLength(isMoved ? 1 : 0);
    }
  });

  it('that gives a post another time has one winner, and the post ends at that time', async () => {
    const { key, posts, order, read } = await queueOf('First', 'Second');
    const [first, second] = posts;
    const scheduledFor = inMinutes(5);

    const [ordered] = await Promise.all([
      order(second, first),
      world.rest(`POST /posts/${first.id}/reschedule`, { key, body: { scheduledFor } }),
    ]);

    expect(await read(first.id)).toMatchObject({ status: 'scheduled', scheduledFor });
    const holds = ordered.status === 200 ? first : second;
    expect(await read(second.id)).toMatchObject({ scheduledFor: holds.scheduledFor });
  });

  it('that orders the same posts comes before or after, and no slot is held twice or lost', async () => {
    const { posts, order, list } = await queueOf('First', 'Second', 'Third');
    const [first, second, third] = posts;

    const answers = await Promise.all([
      order(third, second, first),
      order(second, third, first),
      order(first, third),
      order(third, first, second),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { queue } = await list();
    expect(queue.map(({ scheduledFor }: Queued) => scheduledFor)).toEqual(posts.map((post) => post.scheduledFor));
    expect(queue.map(({ id }: Queued) => id).toSorted()).toEqual(posts.map(({ id }) => id).toSorted());
  });

  it('that queues posts gets other slots', async () => {
    const { posts, order, queue, list } = await queueOf('First', 'Second', 'Third');
    const [first, second, third] = posts;

    await Promise.all([order(third, second, first), queue('Fourth'), order(second, third, first), queue('Fifth')]);

    const times = (await list()).queue.map(({ scheduledFor }: Queued) => scheduledFor);
    expect(new Set(times).size).toBe(5);
    expect(times.slice(0, 3)).toEqual(posts.map(({ scheduledFor }) => scheduledFor));
  });
});

describe('400 invalid_request', () => {
  it.each<[string, (id: string) => object, unknown]>([
    ['no posts', () => ({ postIds: [] }), 'postIds: expected at least 1 item.'],
    ['a missing list', () => ({}), 'postIds: expected an array.'],
    [
      'a post named twice',
      (id) => ({ postIds: [id, id.toUpperCase()] }),
      expect.stringMatching(/^postIds\.1: expected a post that is not in the list yet \([0-9a-f-]{36} is\)\.$/),
    ],
    ['an id that is none', () => ({ postIds: ['first'] }), 'postIds.0: expected a UUID.'],
    [
      'more than 250 posts',
      () => ({ postIds: Array.from({ length: 251 }, (_, index) => UNKNOWN_ID.slice(0, -3) + (100 + index)) }),
      'postIds: expected at most 250 items.',
    ],
    ['an unknown field', (id) => ({ postIds: [id], ids: [] }), 'body: expected no field called "ids".'],
  ])('refuses %s', async (_name, bodyOf, message) => {
    const { key, posts, connectionId, list } = await queueOf('First', 'Second');

    const { status, body } = await world.rest(`PUT ${path(connectionId)}/order`, { key, body: bodyOf(posts[0].id) });

    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', message]);
    expect(await list()).toEqual(orderedBy(posts));
  });

  it.each<[string, string, (queue: Awaited<ReturnType<typeof queueOf>>) => Promise<string>]>([
    ['was sent', 'sent', async ({ key }) => (await makePost(world, 'sandbox', { key })).postId],
    [
      'is a draft',
      'draft',
      async ({ key }) => {
        const body = { text: 'Draft', connectionSlugs: ['sandbox'], isDraft: true };
        return (await world.rest('POST /posts', { key, body })).body.results[0].postId;
      },
    ],
    [
      'was cancelled',
      'cancelled',
      async ({ key, queue }) => {
        const { id } = await queue('Cancelled');
        await world.rest(`DELETE /posts/${id}`, { key });
        return id;
      },
    ],
    [
      'has a time set by hand',
      'scheduled at a time set by hand',
      async ({ key }) => (await makePost(world, 'sandbox', { key, scheduledFor: inMinutes(10) })).postId,
    ],
    [
      'waits in another queue',
      'scheduled in another queue',
      async ({ key, queue }) => {
        const { id } = await connectSandbox(world, { key, slug: 'other' });
        await world.rest(`PATCH ${path(id)}`, { key, body: { slots: EVERY_DAY } });
        return (await queue('Elsewhere', ['other'])).id;
      },
    ],
  ])('refuses the whole order when a post %s, with its id and status', async (_name, state, make) => {
    const queue = await queueOf('First', 'Second');
    const [first, second] = queue.posts as unknown as readonly [Queued, Queued];
    const id = await make(queue);

    const { status, body } = await queue.order(second, id, first);

    expect([status, body.error, body.message]).toEqual([
      400,
      'invalid_request',
      `postIds.1: the post ${id} is ${state}, and does not wait in the queue of the connection "sandbox". Name posts that GET ${path(queue.connectionId)} lists.`,
    ]);
    expect(await queue.list()).toEqual(orderedBy([first, second]));
    expect(await eventsAbout(world, second.id)).toEqual([]);
  });
});

describe('404 not_found', () => {
  it('names an unknown post and one of another account, and nothing changes', async () => {
    const [{ posts, order, list }, other] = [await queueOf('First', 'Second'), await queueOf('Theirs')];
    const [first, second] = posts;

    for (const id of [UNKNOWN_ID, other.posts[0].id]) {
      const { status, body } = await order(second, id, first);

      expect([status, body.error, body.message]).toEqual([404, 'not_found', `No post of yours has the id ${id}.`]);
    }
    expect(await list()).toEqual(orderedBy(posts));
    expect(await other.list()).toEqual(orderedBy(other.posts));
  });

  it('is the answer for an unknown and another account’s connection', async () => {
    const [{ key, posts }, other] = [await queueOf('First'), await queueOf('Theirs')];

    for (const id of [UNKNOWN_ID, other.connectionId]) {
      const { status, body } = await world.rest(`PUT ${path(id)}/order`, { key, body: { postIds: [posts[0].id] } });

      expect([status, body.message]).toEqual([404, `No connection of yours has the id ${id}.`]);
    }
  });
});
