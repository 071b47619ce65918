/**
 * POST /posts/{postId}/reschedule changes the time or slot of a post. One of several concurrent requests wins
 * (docs/contract/scheduling.md#rescheduling).
 */
import { describe, expect, it } from 'vitest';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

// The clock is at noon on a Saturday.
const world = await startWorld();
const SLOTS = [0, 1, 2].map((weekday) => ({ weekday, time: '09:00' }));

async function queueAccount() {
  const { key, connection, id } = await accountWithSandbox(world);
  await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots: SLOTS } });
  const queued = async () => {
    const { body } = await world.rest('POST /posts', {
      key,
      body: { text: 'In the queue', connectionSlugs: ['sandbox'], queue: true },
    });
    return body.results[0] as { postId: string; scheduledFor: string };
  };
  return { id, key, connection, queued };
}

const inMinutes = (minutes: number) => new Date(world.clock.now().getTime() + minutes * 60_000).toISOString();
const move = (key: string, postId: string, body: object) =>
  world.rest(`POST /posts/${postId}/reschedule`, { key, body });
const waits = (postId: string, scheduledFor: string, error: unknown = null) => ({
  result: {
    connectionSlug: 'sandbox',
    status: 'scheduled',
    postId,
    url: null,
    scheduledFor,
    threadCount: 0,
    hasFirstComment: false,
    error,
  },
});
const read = async (key: string, postId: string) => (await world.rest(`GET /posts/${postId}`, { key })).body.post;

describe('200', () => {
  it('sets another time, emits one event, and sends at that time and not earlier', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: inMinutes(10) });
    const time = inMinutes(20);

    const { status, body } = await move(key, postId, { scheduledFor: time });

    expect([status, body]).toEqual([200, waits(postId, time)]);
    expect(await eventsAbout(world, postId)).toMatchObject([
      {
        name: 'post.rescheduled',
        payload: {
          post: { id: postId, connectionSlug: 'sandbox', scheduledFor: time, reason: 'requeued', profileId: null },
        },
      },
    ]);
    await world.advance(10 * 60_000);
    expect((await read(key, postId)).status).toBe('scheduled');
    await world.advance(10 * 60_000);
    expect(await read(key, postId)).toMatchObject({ status: 'sent', tries: 1 });
  });

  it('accepts a wall time in a time zone', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: inMinutes(10) });

    const { body } = await move(key, postId, { scheduledFor: '2026-12-01T09:00', timezone: 'Europe/Paris' });

    expect(body).toEqual(waits(postId, '2026-12-01T08:00:00.000Z'));
  });

  it('emits nothing if the time stays the same', async () => {
    const { key } = await accountWithSandbox(world);
    const time = inMinutes(10);
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: time });

    const { body } = await move(key, postId, { scheduledFor: time });

    expect(body).toEqual(waits(postId, time));
    expect(await eventsAbout(world, postId)).toEqual([]);
  });
});

describe('slots', () => {
  it('are assigned one each to posts that are moved to the queue concurrently', async () => {
    const { key, connection, queued } = await queueAccount();
    const first = await queued();
    const byHand = await Promise.all(
      [1, 2].map((minutes) => makePost(world, 'sandbox', { key, scheduledFor: inMinutes(minutes * 100) })),
    );

    const answers = await Promise.all(byHand.map(({ postId }) => move(key, postId, { queue: true })));

    const times = answers.map(({ body }): string => body.result.scheduledFor);
    const before = new Date(first.scheduledFor).getTime();
    expect(new Set([first.scheduledFor, ...times]).size).toBe(3);
    expect(times.every((time) => new Date(time).getTime() > before)).toBe(true);
    const { body } = await world.rest(`GET /connections/${connection.id}/queue`, { key });
    expect(body.queue.map(({ id }: { id: string }) => id)).toHaveLength(3);
  });

  it('that are freed go to the next post that is queued, and posts in the queue do not move', async () => {
    const { key, queued } = await queueAccount();
    const [first, second] = [await queued(), await queued()];

    await move(key, first.postId, { scheduledFor: inMinutes(5) });
    const third = await queued();

    expect(third.scheduledFor).toBe(first.scheduledFor);
    expect((await read(key, second.postId)).scheduledFor).toBe(second.scheduledFor);
  });

  it('change when a queued post is moved to the queue: it gets the next free one and frees its own', async () => {
    const { key, queued } = await queueAccount();
    const [first, second] = [await queued(), await queued()];

    const { body } = await move(key, first.postId, { queue: true });

    const moved = body.result.scheduledFor;
    expect(new Date(moved).getTime()).toBeGreaterThan(new Date(second.scheduledFor).getTime());
    expect((await queued()).scheduledFor).toBe(first.scheduledFor);
  });

  it('that are missing cause an error in the result, and the post keeps its time', async () => {
    const { key } = await accountWithSandbox(world);
    const time = inMinutes(10);
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: time });

    const { status, body } = await move(key, postId, { queue: true });

    const message = 'The connection "sandbox" has no queue slots; set some, or give scheduledFor.';
    expect([status, body]).toEqual([200, waits(postId, time, { code: 'queue_empty', message })]);
    expect(await eventsAbout(world, postId)).toEqual([]);
  });

  it('no longer hold a post that a paused queue kept back', async () => {
    const { key, connection, queued } = await queueAccount();
    const { postId, scheduledFor } = await queued();
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { paused: true } });
    await world.advance(new Date(scheduledFor).getTime() - world.clock.now().getTime() + 1000);

    await move(key, postId, { scheduledFor: inMinutes(1) });
    await world.advance(60_000);

    expect((await read(key, postId)).status).toBe('sent');
  });
});

describe('a concurrent operation', () => {
  it('of the worker wins once it has claimed the post: 409 post_not_cancellable', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: inMinutes(1) });
    world.clock.advance(60_000);
    const { sends } = await claimDueSends(world.context);

    const { status, body } = await move(key, postId, { scheduledFor: inMinutes(10) });

    expect([status, body.error]).toEqual([409, 'post_not_cancellable']);
    await Promise.all(sends.map((send) => world.context.sends.send(send)));
    expect((await read(key, postId)).status).toBe('sent');
  });

  it('of the worker has one winner: the post is sent once, or it is scheduled for its new time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { key, connection } = await accountWithSandbox(world);
      const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: inMinutes(1) });
      world.clock.advance(60_000);

      const [answer] = await Promise.all([move(key, postId, { scheduledFor: inMinutes(60) }), world.runDue()]);
      await world.runDue();

      const { status } = await read(key, postId);
      const sent = await sandboxOf(world, connection.id);
      if (answer.status === 200) expect([status, sent.length]).toEqual(['scheduled', 0]);
      else expect([answer.body.error, status, sent.length]).toEqual([expect.any(String), 'sent', 1]);
    }
  });

  it('that cancels has one winner, and the post ends cancelled with at most one event', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: inMinutes(10) });

    const [moved, cancelled] = await Promise.all([
      move(key, postId, { scheduledFor: inMinutes(20) }),
      world.rest(`DELETE /posts/${postId}`, { key }),
    ]);

    expect(cancelled.body).toEqual({ id: postId, status: 'cancelled' });
    expect((await read(key, postId)).status).toBe('cancelled');
    expect(await eventsAbout(world, postId)).toHaveLength(moved.status === 200 ? 1 : 0);
  });
});

describe('400 and 404', () => {
  it.each([
    ['no time at all', {}, 'body: expected scheduledFor, or queue: true.'],
    [
      'both ways at once',
      { queue: true, scheduledFor: '2026-12-01T09:00:00Z' },
      'body: send scheduledFor or queue: true, not both.',
    ],
    ['null for the time', { scheduledFor: null }, 'body: expected scheduledFor, or queue: true.'],
    ['a time past', { scheduledFor: '2020-01-01T00:00:00Z' }, expect.stringContaining('is not in the future')],
  ])('refuses %s', async (_name, sent, message) => {
    const { key } = await accountWithSandbox(world);
    const { postId, scheduledFor } = await makePost(world, 'sandbox', { key, scheduledFor: inMinutes(10) });

    const { status, body } = await move(key, postId, sent);

    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', message]);
    expect((await read(key, postId)).scheduledFor).toBe(scheduledFor);
  });

  it('refuses a post that is not scheduled', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key });

    const { status, body } = await move(key, postId, { scheduledFor: inMinutes(10) });

    expect([status, body.error, body.message]).toEqual([
      400,
      'invalid_request',
      'Only a scheduled post can be moved to another time; this one is sent.',
    ]);
  });

  it('does not find another account’s post', async () => {
    const [one, other] = [await accountWithSandbox(world), await accountWithSandbox(world)];
    const { postId } = await makePost(world, 'sandbox', { key: other.key, scheduledFor: inMinutes(10) });

    const { status, body } = await move(one.key, postId, { scheduledFor: inMinutes(20) });

    expect([status, body.error]).toEqual([404, 'not_found']);
  });
});
