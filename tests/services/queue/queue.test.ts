/** A queue: the assignment of slots, slots freed by a cancel, posts held by a pause, and missed slots. */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { TEST_DATABASE_URL } from '../../harness/database.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { NO_POST } from '../../harness/expected.ts';

const MINUTE_MS = 60_000;

/**
 * A world at Saturday 2026-11-21 12:00 UTC with a sandbox whose queue has these slots, by default every day at 09:00.
 */
async function queueWorld(options: { slots?: object[]; timezone?: string } = {}) {
  const world = await startWorld();
  const { key, connection, id: accountId } = await accountWithSandbox(world);
  const slots = options.slots ?? [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '09:00' }));
  const patch = (body: object) => world.rest(`PATCH /connections/${connection.id}/queue`, { key, body });
  await patch({ slots, timezone: options.timezone ?? 'UTC' });
  const enqueue = async (text = 'Ding') => {
    const body = { text, connectionSlugs: ['sandbox'], queue: true };
    return (await world.rest('POST /posts', { key, body })).body.results[0];
  };
  const post = async (id: string) => (await world.rest(`GET /posts/${id}`, { key })).body.post;
  return { world, key, accountId, connection, patch, enqueue, post };
}

const at = (day: number, time = '09:00') => `2026-11-${String(day).padStart(2, '0')}T${time}:00.000Z`;

describe('a slot', () => {
  it('is taken by one post, the next by the next post, and each is sent at its own slot', async () => {
    const { world, connection, enqueue } = await queueWorld();

    const [first, second] = [await enqueue('First'), await enqueue('Second')];

    expect(first).toMatchObject({ status: 'scheduled', scheduledFor: at(22), url: null, error: null });
    expect(second).toMatchObject({ status: 'scheduled', scheduledFor: at(23) });
    for (const day of [22, 23]) {
      world.clock.set(new Date(at(day)));
      await world.runDue();
      expect(await sandboxOf(world, connection.id)).toHaveLength(day - 21);
    }
  });

  it('is never shared by concurrent requests', async () => {
    const { enqueue } = await queueWorld();

    const results = await Promise.all(Array.from({ length: 12 }, () => enqueue()));

    const times = results.map(({ scheduledFor }) => String(scheduledFor)).toSorted((a, b) => a.localeCompare(b));
    expect(new Set(times).size).toBe(12);
    expect([times[0], times[11]]).toEqual([at(22), '2026-12-03T09:00:00.000Z']);
  });

  it('is taken while and after its post is sent by a process whose clock is ahead', async () => {
    const { world, enqueue } = await queueWorld();
    const { postId } = await enqueue('First');
    world.clock.set(new Date(at(22)));
    await world.runDue();

    world.clock.set(new Date(new Date(at(22)).getTime() - 5));
    expect(await enqueue('Second')).toMatchObject({ scheduledFor: at(23) });
    await world.sql(
      `update posts set status = 'processing', sent_at = null, claim = id, claimed_until = $2 where id = $1`,
      [postId, at(23)],
    );
    expect(await enqueue('Third')).toMatchObject({ scheduledFor: at(24) });
  });

  it('at the current instant is in the past', async () => {
    const { world, enqueue } = await queueWorld();
    world.clock.set(new Date(at(22)));

    expect(await enqueue()).toMatchObject({ scheduledFor: at(23) });
  });

  it('uses the time zone of the connection, across a change to summer time', async () => {
    const { world, enqueue } = await queueWorld({ slots: [{ weekday: 0, time: '02:30' }], timezone: 'Europe/Paris' });
    world.clock.set(new Date('2027-03-20T12:00:00Z'));

    const results = [await enqueue(), await enqueue(), await enqueue()];

    // On 2027-03-28 the local time 02:30 does not exist. It becomes 03:30, which is 01:30 UTC.
    expect(results.map(({ scheduledFor }) => scheduledFor)).toEqual([
      '2027-03-21T01:30:00.000Z',
      '2027-03-28T01:30:00.000Z',
      '2027-04-04T00:30:00.000Z',
    ]);
  });

  it('is not taken by a post that is scheduled for it by hand', async () => {
    const { world, key, enqueue } = await queueWorld();
    await makePost(world, 'sandbox', { key, scheduledFor: at(22) });

    expect(await enqueue()).toMatchObject({ scheduledFor: at(22) });
  });

  it('that a cancel frees goes to the next post that is queued; the others stay', async () => {
    const { world, key, enqueue, post } = await queueWorld();
    const [first, second] = [await enqueue(), await enqueue()];

    await world.rest(`DELETE /posts/${first.postId}`, { key });
    const third = await enqueue();

    expect(third).toMatchObject({ scheduledFor: at(22) });
    expect(await post(second.postId)).toMatchObject({ scheduledFor: at(23) });
    expect(await eventsAbout(world, first.postId)).toEqual([]);
  });
});

describe('no slot', () => {
  it('in a queue without slots is queue_empty, for this connection only', async () => {
    const { world, key } = await queueWorld();
    const withoutQueue = await connectSandbox(world, { key });

    const { status, body } = await world.rest('POST /posts', {
      key,
      body: { text: 'Ding', connectionSlugs: [withoutQueue.slug, 'sandbox'], queue: true },
    });

    expect(status).toBe(200);
    expect(body.results).toEqual([
      {
        connectionSlug: withoutQueue.slug,
        ...NO_POST,
        error: {
          code: 'queue_empty',
          message: `The connection "${withoutQueue.slug}" has no queue slots; set some, or give scheduledFor.`,
        },
      },
      expect.objectContaining({ connectionSlug: 'sandbox', status: 'scheduled', scheduledFor: at(22) }),
    ]);
  });

  it('in the next thirty days is queue_full, until a slot is freed', async () => {
    const { world, key, enqueue } = await queueWorld({ slots: [{ weekday: 1, time: '09:00' }] });
    const taken = [];
    for (let week = 0; week < 5; week += 1) taken.push(await enqueue());

    // Mondays: 23 and 30 November, 7 and 14 December; the 21st is the thirtieth day, and its slot is before noon.
    expect(taken.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'scheduled'));
    const refused = await enqueue();
    expect(refused).toMatchObject({
      postId: null,
      status: 'failed',
      error: {
        code: 'queue_full',
        message:
          'Every slot of the connection "sandbox" in the next 30 days is taken; add slots, or give scheduledFor.',
      },
    });
    await world.rest(`DELETE /posts/${taken[3].postId}`, { key });
    expect(await enqueue()).toMatchObject({ scheduledFor: '2026-12-14T09:00:00.000Z' });
  });

  it.each(['queue_empty', 'queue_full'])('keeps a draft as a draft: %s', async (code) => {
    const { world, key, patch, enqueue, post } = await queueWorld({ slots: [{ weekday: 1, time: '09:00' }] });
    const draft = await world.rest('POST /posts', {
      key,
      body: { text: 'Ding', connectionSlugs: ['sandbox'], isDraft: true },
    });
    const { postId } = draft.body.results[0];
    if (code === 'queue_empty') await patch({ slots: [] });
    else for (let week = 0; week < 5; week += 1) await enqueue();

    const refused = await world.rest(`POST /posts/${postId}/publish`, { key, body: { queue: true } });
    await patch({ slots: [{ weekday: 2, time: '10:00' }] });
    const published = await world.rest(`POST /posts/${postId}/publish`, { key, body: { queue: true } });

    expect(refused.body.result).toMatchObject({ status: 'draft', postId, error: { code } });
    expect(published.body.result).toMatchObject({ status: 'scheduled', postId, scheduledFor: at(24, '10:00') });
    expect(await post(postId)).toMatchObject({ status: 'scheduled' });
  });

  it('is reported by validation, and so is the slot, which stays free', async () => {
    const { world, key, enqueue } = await queueWorld();
    const withoutQueue = await connectSandbox(world, { key });

    const { body } = await world.rest('POST /posts/validate', {
      key,
      body: { text: 'Ding', connectionSlugs: ['sandbox', withoutQueue.slug], queue: true },
    });

    expect(body.results).toMatchObject([
      { ok: true, error: null, scheduledFor: at(22) },
      { ok: false, error: { code: 'queue_empty' }, scheduledFor: null },
    ]);
    expect(await enqueue()).toMatchObject({ scheduledFor: at(22) });
  });
});

describe('a pause', () => {
  it('holds queued posts, but not posts scheduled by hand', async () => {
    const { world, key, connection, patch, enqueue, post } = await queueWorld();
    const queued = await enqueue('Queued');
    await makePost(world, 'sandbox', { key, text: 'By hand', scheduledFor: at(22) });
    await patch({ paused: true });

    world.clock.set(new Date(at(22)));
    await world.runDue();
    await world.advance(3 * 3_600_000);

    expect((await sandboxOf(world, connection.id)).map(({ text }) => text)).toEqual(['By hand']);
    expect(await post(queued.postId)).toMatchObject({ status: 'scheduled', scheduledFor: at(22) });
    const { body } = await world.rest(`GET /connections/${connection.id}/queue`, { key });
    expect(body).toMatchObject({ paused: true, queue: [{ id: queued.postId, scheduledFor: at(22) }] });
    expect(await eventsAbout(world, queued.postId)).toEqual([]);
  });

  it('moves each overdue post to the next free slot when it ends, in order, with an event', async () => {
    const { world, connection, patch, enqueue, post } = await queueWorld();
    const posts = [await enqueue('22nd'), await enqueue('23rd'), await enqueue('24th')];
    await patch({ paused: true });
    world.clock.set(new Date(at(23, '12:00')));
    await world.runDue();

    const { status } = await patch({ paused: false });

    expect(status).toBe(200);
    const times = await Promise.all(posts.map(async ({ postId }) => (await post(postId)).scheduledFor));
    expect(times).toEqual([at(25), at(26), at(24)]);
    const events = await Promise.all(posts.map(({ postId }) => eventsAbout(world, postId)));
    expect(events.map((about) => about.map(({ name, payload }) => [name, payload]))).toEqual([
      [['post.rescheduled', rescheduled(posts[0].postId, at(25), 'missed_slot')]],
      [['post.rescheduled', rescheduled(posts[1].postId, at(26), 'missed_slot')]],
      [],
    ]);
    for (const day of [24, 25, 26]) {
      world.clock.set(new Date(at(day)));
      await world.runDue();
    }
    expect((await sandboxOf(world, connection.id)).map(({ text }) => text)).toEqual(['24th', '22nd', '23rd']);
  });

  it('also moves a post that became due a minute ago', async () => {
    const { world, patch, enqueue, post } = await queueWorld();
    const queued = await enqueue();
    await patch({ paused: true });
    world.clock.set(new Date(at(22, '09:01')));

    await patch({ paused: false });

    expect(await post(queued.postId)).toMatchObject({ scheduledFor: at(23) });
  });

  it('that ends after the clock was set back lets the posts go out whose times are still to come', async () => {
    const { world, connection, patch, enqueue, post } = await queueWorld();
    const [missed, coming] = [await enqueue('22nd'), await enqueue('23rd')];
    await patch({ paused: true });
    world.clock.set(new Date(at(23)));
    await world.runDue();
    world.clock.set(new Date(new Date(at(23)).getTime() - 1));

    await patch({ paused: false });

    expect([(await post(missed.postId)).scheduledFor, (await post(coming.postId)).scheduledFor]).toEqual([
      at(24),
      at(23),
    ]);
    expect(await eventsAbout(world, coming.postId)).toEqual([]);
    for (const day of [23, 24]) {
      world.clock.set(new Date(at(day)));
      await world.runDue();
    }
    expect((await sandboxOf(world, connection.id)).map(({ text }) => text)).toEqual(['23rd', '22nd']);
    expect(await post(coming.postId)).toMatchObject({ status: 'sent', scheduledFor: at(23), sentAt: at(23) });
  });

  it.skipIf(TEST_DATABASE_URL === undefined)(
    'that ends while a post falls due lets it go out, and the worker does not wait for it',
    async () => {
      const { world, connection, patch, enqueue, post } = await queueWorld();
      const [missed, due] = [await enqueue('22nd'), await enqueue('23rd')];
      await patch({ paused: true });
      world.clock.set(new Date(new Date(at(23)).getTime() - 1));
      await world.runDue();
      // The resume has searched for overdue posts, and waits with the event of the one that it moves.
      const held = await holdRows(world, 'lock table events in share mode');
      const resuming = patch({ paused: false });
      await held.waiting(1, resuming);

      world.clock.set(new Date(at(23)));
      await world.runDue();

      expect(await post(due.postId)).toMatchObject({ status: 'scheduled', scheduledFor: at(23) });
      await held.release();
      expect((await resuming).body.connection).toMatchObject({ id: connection.id, paused: false });
      expect(await post(missed.postId)).toMatchObject({ status: 'scheduled', scheduledFor: at(24) });
      await world.runDue();
      expect((await sandboxOf(world, connection.id)).map(({ text }) => text)).toEqual(['23rd']);
      expect(await post(due.postId)).toMatchObject({ status: 'sent', scheduledFor: at(23), sentAt: at(23) });
    },
  );

  it.skipIf(TEST_DATABASE_URL === undefined)(
    'that begins while a worker waits for the account holds the posts that it has not claimed yet',
    async () => {
      const { world, accountId, connection, patch, enqueue, post } = await queueWorld();
      // A plan that counts posts locks the account before the posts.
      await world.sql(`update accounts set plan = 'free' where id = $1`, [accountId]);
      const { postId } = await enqueue();
      const held = await holdRows(world, 'select id from accounts where id = $1 for no key update', [accountId]);
      world.clock.set(new Date(at(22)));
      const working = world.runDue();
      await held.waiting(1, working);

      const { status } = await patch({ paused: true });

      expect(status).toBe(200);
      await held.release();
      await working;
      expect(await sandboxOf(world, connection.id)).toEqual([]);
      expect(await post(postId)).toMatchObject({ status: 'scheduled', scheduledFor: at(22) });
      await patch({ paused: false });
      expect(await post(postId)).toMatchObject({ status: 'scheduled', scheduledFor: at(23) });
    },
  );

  it('fails a post with slot_missed when it ends and no slot is free', async () => {
    const { world, patch, enqueue, post } = await queueWorld();
    const queued = await enqueue();
    await patch({ paused: true });
    world.clock.set(new Date(at(23, '12:00')));
    await patch({ slots: [] });

    await patch({ paused: false });

    const message = `The queue slot at ${at(22)} passed without sending, and no slot of the connection "sandbox" is free in the next 30 days.`;
    expect(await post(queued.postId)).toMatchObject({ status: 'failed', error: { code: 'slot_missed', message } });
    const [event] = await eventsAbout(world, queued.postId);
    expect(event).toMatchObject({
      name: 'post.failed',
      payload: { post: { error: { code: 'slot_missed', message } } },
    });
  });

  it('does not move posts if the queue was not paused', async () => {
    const { world, patch, enqueue, post } = await queueWorld();
    const queued = await enqueue();
    world.clock.set(new Date(at(22, '09:01')));

    await patch({ paused: false });

    expect(await post(queued.postId)).toMatchObject({ scheduledFor: at(22) });
  });

  it('does not prevent queueing: a queued post takes its slot', async () => {
    const { patch, enqueue } = await queueWorld();
    await patch({ paused: true });

    expect(await enqueue()).toMatchObject({ status: 'scheduled', scheduledFor: at(22) });
  });
});

describe('a slot that passed while no worker ran', () => {
  it.each([
    ['five minutes less a millisecond', 5 * MINUTE_MS - 1, 'sent', at(22)],
    ['exactly five minutes', 5 * MINUTE_MS, 'sent', at(22)],
    ['five minutes and a millisecond', 5 * MINUTE_MS + 1, 'scheduled', at(23)],
    ['a day', 24 * 60 * MINUTE_MS, 'scheduled', at(24)],
  ])('late by %s', async (_case, lateMs, status, scheduledFor) => {
    const { world, enqueue, post } = await queueWorld();
    const queued = await enqueue();
    world.clock.set(new Date(new Date(at(22)).getTime() + lateMs));

    await world.runDue();

    expect(await post(queued.postId)).toMatchObject({ status, scheduledFor });
    const names = (await eventsAbout(world, queued.postId)).map(({ name }) => name);
    expect(names).toEqual([status === 'sent' ? 'post.sent' : 'post.rescheduled']);
  });

  it('moves every post in order, after the posts with later slots', async () => {
    const { world, enqueue, post } = await queueWorld();
    const posts = [await enqueue(), await enqueue(), await enqueue()];
    world.clock.set(new Date(at(23, '10:00')));

    await world.runDue();

    const times = await Promise.all(posts.map(async ({ postId }) => (await post(postId)).scheduledFor));
    expect(times).toEqual([at(25), at(26), at(24)]);
  });

  it('fails the post if no other slot is free', async () => {
    const { world, patch, enqueue, post } = await queueWorld();
    const queued = await enqueue();
    await patch({ slots: [] });
    world.clock.set(new Date(at(22, '09:06')));

    await world.runDue();

    expect(await post(queued.postId)).toMatchObject({ status: 'failed', error: { code: 'slot_missed' } });
  });
});

describe('a failed post that is put into the queue', () => {
  it('takes a slot, keeps its id and emits the reason requeued', async () => {
    const { world, key, post } = await queueWorld();
    const failed = await makePost(world, 'sandbox', { key, text: '[[reject]]' });

    const { body } = await world.rest(`POST /posts/${failed.postId}/retry`, { key, body: { queue: true } });

    expect(body.result).toMatchObject({
      postId: failed.postId,
      status: 'scheduled',
      scheduledFor: at(22),
      error: null,
    });
    expect(await post(failed.postId)).toMatchObject({ status: 'scheduled', error: null });
    const events = await eventsAbout(world, failed.postId);
    expect(events.map(({ name, payload }) => [name, payload]).at(-1)).toEqual([
      'post.rescheduled',
      rescheduled(failed.postId, at(22), 'requeued'),
    ]);
  });
});

function rescheduled(id: string, scheduledFor: string, reason: string) {
  return { post: { id, connectionSlug: 'sandbox', scheduledFor, reason, profileId: null } };
}
