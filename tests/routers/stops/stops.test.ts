/** The stop button: from one call on nothing goes out, and what waits is released or dropped together (docs/contract/stops.md). */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { makePost, sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const HOUR = 3_600_000;
const iso = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();

async function tenant() {
  const { key, connection, id } = await accountWithSandbox(world);
  const agent = await world.key({ accountId: id });
  const post = (by: string, fields: object = {}) =>
    world.rest('POST /posts', { key: by, body: { text: 'Ding', connectionSlugs: ['sandbox'], ...fields } });
  return {
    accountId: id,
    key,
    agent,
    connection,
    post,
    schedule: async (by: string, ms: number): Promise<string> =>
      (await post(by, { scheduledFor: iso(ms) })).body.results[0].postId,
    stop: (body: object = {}, by = key) => world.rest('POST /stops', { key: by, body }),
    release: (stopId: string, posts: 'send' | 'drop', by = key) =>
      world.rest(`POST /stops/${stopId}/release`, { key: by, body: { posts } }),
    read: async (postId: string) => (await world.rest(`GET /posts/${postId}`, { key })).body.post,
    published: async () => (await sandboxOf(world, connection.id)).length,
  };
}

describe('a stop of the account', () => {
  it('holds what waits and refuses what is new, drafts excepted', async () => {
    const { stop, schedule, key, agent, post, read, published } = await tenant();
    const waiting = await schedule(agent.secret, HOUR);

    const { status, body } = await stop({ reason: 'Somebody posts nonsense' });

    expect([status, body.stop]).toEqual([
      201,
      {
        id: expect.any(String),
        kind: 'account',
        targetId: expect.any(String),
        targetName: null,
        targetEndedAt: null,
        reason: 'Somebody posts nonsense',
        startedAt: iso(0),
        startedBy: { kind: 'key', id: expect.any(String), name: 'A key' },
        held: 1,
        sending: 0,
        releasedAt: null,
        outcome: null,
      },
    ]);
    const [refused] = (await post(key)).body.results;
    expect(refused).toMatchObject({
      status: 'failed',
      postId: null,
      error: {
        code: 'stopped',
        message: `Nothing of this account goes out since ${iso(0)}: A key has stopped it (Somebody posts nonsense). Drafts can be written; an owner releases the stop.`,
      },
    });
    const [draft] = (await post(key, { isDraft: true })).body.results;
    expect(draft.status).toBe('draft');
    const published_ = await world.rest(`POST /posts/${draft.postId}/publish`, { key, body: {} });
    expect(published_.body.result).toMatchObject({ status: 'draft', error: { code: 'stopped' } });
    await world.advance(2 * HOUR);
    expect(await published()).toBe(0);
    expect(await read(waiting)).toMatchObject({ status: 'scheduled', stopId: body.stop.id });
  });

  it('is not doubled, and leaves other accounts alone', async () => {
    const [mine, theirs] = [await tenant(), await tenant()];
    await mine.stop();

    const again = await mine.stop();

    expect([again.status, again.body.error]).toEqual([409, 'already_stopped']);
    expect((await theirs.post(theirs.key)).body.results[0].status).toBe('sent');
    expect((await world.rest('GET /stops', { key: theirs.key })).body.stops).toEqual([]);
  });
});

describe('a stop of a part', () => {
  it('of a key stops that key only', async () => {
    const { stop, agent, post, key, schedule, published } = await tenant();
    await schedule(agent.secret, HOUR);
    await schedule(key, HOUR);

    const { body } = await stop({ keyId: agent.id });

    expect(body.stop).toMatchObject({ kind: 'key', targetId: agent.id, held: 1 });
    expect((await post(agent.secret)).body.results[0].error.code).toBe('stopped');
    expect((await post(key)).body.results[0].status).toBe('sent');
    await world.advance(HOUR);
    expect(await published()).toBe(2);
  });

  it('of a profile stops what belongs to it, from any caller', async () => {
    const { stop, accountId, key, post } = await tenant();
    const profile = await world.profile('Grace', accountId);
    await connectSandbox(world, { key, slug: 'graces', profileId: profile.id });
    await stop({ profileId: profile.id });

    const { body } = await post(key, { connectionSlugs: ['sandbox', 'graces'] });

    expect(body.results.map(({ status }: { status: string }) => status)).toEqual(['sent', 'failed']);
  });

  it('names what it stops, also when that has ended', async () => {
    const { stop, key, agent, accountId, schedule } = await tenant();
    const { id: profileId } = await world.profile('Customer', accountId);
    await schedule(agent.secret, HOUR);
    await world.rest(`DELETE /keys/${agent.id}`, { key });

    const { body } = await stop({ keyId: agent.id });
    await stop({ profileId });

    expect(body.stop).toMatchObject({ targetName: 'A key', targetEndedAt: iso(0), held: 1 });
    const { stops } = (await world.rest('GET /stops', { key })).body;
    expect(stops).toMatchObject([
      { kind: 'profile', targetName: 'Customer', targetEndedAt: null },
      { kind: 'key', targetName: 'A key', targetEndedAt: iso(0) },
    ]);
  });

  it('of something of another account is not found', async () => {
    const [mine, theirs] = [await tenant(), await tenant()];

    const answers = await Promise.all([
      mine.stop({ keyId: theirs.agent.id }),
      mine.stop({ grantId: theirs.agent.id }),
      mine.stop({ keyId: mine.agent.id, profileId: theirs.accountId }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 400]);
  });
});

describe('releasing', () => {
  it('lets held posts go on: those ahead at their time, those overdue by the rules of late posts', async () => {
    const { stop, release, schedule, key, read, published } = await tenant();
    const [overdue, ahead] = [await schedule(key, HOUR), await schedule(key, 3 * HOUR)];
    const { body } = await stop();
    await world.advance(2 * HOUR);

    const released = await release(body.stop.id, 'send');
    await world.runDue();

    expect(released.body.stop).toMatchObject({ held: 0, releasedAt: iso(0), outcome: 'sent' });
    expect([(await read(overdue)).status, (await read(ahead)).status]).toEqual(['sent', 'scheduled']);
    await world.advance(HOUR);
    expect(await published()).toBe(2);
    expect((await release(body.stop.id, 'send')).status).toBe(404);
  });

  it('drops them together', async () => {
    const { stop, release, schedule, key, read, published } = await tenant();
    const [one, other] = [await schedule(key, HOUR), await schedule(key, 3 * HOUR)];
    const { body } = await stop();

    await release(body.stop.id, 'drop');
    await world.advance(4 * HOUR);

    expect([await read(one), await read(other)]).toMatchObject([
      { status: 'cancelled', stopId: null },
      { status: 'cancelled', stopId: null },
    ]);
    expect(await published()).toBe(0);
  });

  it('leaves what another stop is about held', async () => {
    const { stop, release, schedule, agent, read, published } = await tenant();
    const postId = await schedule(agent.secret, HOUR);
    const everything = (await stop()).body.stop;
    const ofAgent = (await stop({ keyId: agent.id })).body.stop;

    await release(everything.id, 'send');
    await world.advance(2 * HOUR);

    expect(await read(postId)).toMatchObject({ status: 'scheduled', stopId: ofAgent.id });
    await release(ofAgent.id, 'send');
    await world.runDue();
    expect(await published()).toBe(1);
  });

  it('does not start a queue that is paused', async () => {
    const { stop, release, key, connection, post, read } = await tenant();
    const slots = [0, 1, 2].map((weekday) => ({ weekday, time: '09:00' }));
    const queue = (body: object) => world.rest(`PATCH /connections/${connection.id}/queue`, { key, body });
    await queue({ slots });
    const { postId } = (await post(key, { queue: true })).body.results[0];
    await queue({ paused: true });
    const { body } = await stop();
    await world.advance(48 * HOUR);

    await release(body.stop.id, 'send');
    await world.runDue();

    expect((await read(postId)).status).toBe('scheduled');
  });
});

describe('what happens meanwhile', () => {
  it('a moved post stays held, and so does a queue that is resumed', async () => {
    const { stop, key, connection, post, schedule, read, published } = await tenant();
    const slots = [0, 1, 2].map((weekday) => ({ weekday, time: '09:00' }));
    const queue = (body: object) => world.rest(`PATCH /connections/${connection.id}/queue`, { key, body });
    await queue({ slots });
    const timed = await schedule(key, HOUR);
    const { postId: queued } = (await post(key, { queue: true })).body.results[0];
    await queue({ paused: true });
    await stop();

    await world.rest(`POST /posts/${timed}/reschedule`, { key, body: { scheduledFor: iso(2 * HOUR) } });
    await world.advance(30 * HOUR);
    await queue({ paused: false });
    await world.advance(48 * HOUR);

    expect(await published()).toBe(0);
    expect([(await read(timed)).status, (await read(queued)).status]).toEqual(['scheduled', 'scheduled']);
  });

  it('a post that takes the place of a held one in the queue goes out, and the held one does not', async () => {
    const { stop, key, agent, connection, post, read } = await tenant();
    const slots = [0, 1, 2].map((weekday) => ({ weekday, time: '09:00' }));
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots } });
    const { postId: held } = (await post(agent.secret, { queue: true })).body.results[0];
    const { postId: free } = (await post(key, { queue: true })).body.results[0];
    await stop({ keyId: agent.id });

    await world.rest(`PUT /connections/${connection.id}/queue/order`, { key, body: { postIds: [free, held] } });
    const { scheduledFor } = await read(free);
    await world.advance(new Date(scheduledFor).getTime() - world.clock.now().getTime());

    expect([(await read(free)).status, (await read(held)).status]).toEqual(['sent', 'scheduled']);
  });

  it('a post whose platform was not available waits for the release before it is repeated', async () => {
    const { stop, release, key, post, read, published } = await tenant();
    const { postId } = (await post(key, { text: '[[unavailable]] Ding', scheduledFor: iso(HOUR) })).body.results[0];
    await world.advance(HOUR);
    await world.sql(`update posts set text = 'Ding' where id = $1`, [postId]);
    const { body } = await stop();

    await world.advance(HOUR);
    expect([await published(), (await read(postId)).status]).toEqual([0, 'scheduled']);

    await release(body.stop.id, 'send');
    await world.runDue();
    expect(await published()).toBe(1);
  });

  it('a post that was stored at the moment of the stop is held when it is due', async () => {
    const { stop, key, schedule, read, published } = await tenant();
    const { body } = await stop();
    const postId = await schedule(key, HOUR).catch(() => '');
    expect(postId).toBeNull();
    // As if its request had been admitted before the stop.
    const late = (await makePostOf(key)).postId;
    await world.sql(`update posts set status = 'scheduled', scheduled_for = $2 where id = $1`, [
      late,
      new Date(world.clock.now().getTime() + HOUR),
    ]);

    await world.advance(2 * HOUR);

    expect([await published(), await read(late)]).toMatchObject([0, { status: 'scheduled', stopId: body.stop.id }]);
  });

  it('a held post is cancelled with its connection, and no stop holds it any more', async () => {
    const { stop, schedule, key, connection, read } = await tenant();
    const held = await schedule(key, HOUR);
    await stop();

    await world.rest(`DELETE /connections/${connection.id}`, { key });

    expect(await read(held)).toMatchObject({ status: 'cancelled', stopId: null });
    const { body } = await world.rest('GET /stops', { key });
    expect(body.stops).toMatchObject([{ held: 0 }]);
  });

  it('approving is refused and leaves the request pending', async () => {
    const { stop, key, accountId, post, read } = await tenant();
    const asking = await world.key({ accountId, approval: 'required' });
    const { postId } = (await post(asking.secret)).body.results[0];
    await stop({ keyId: asking.id });

    const { status, body } = await world.rest(`POST /posts/${postId}/approve`, { key, body: {} });

    expect([status, body.error]).toEqual([403, 'stopped']);
    expect(await read(postId)).toMatchObject({ status: 'draft', approval: { state: 'pending' } });
  });
});

const makePostOf = async (key: string) =>
  (await world.rest('POST /posts', { key, body: { text: 'Late', connectionSlugs: ['sandbox'], isDraft: true } })).body
    .results[0] as Awaited<ReturnType<typeof makePost>>;

it('only owners and keys of the whole account stop and release', async () => {
  const { stop, release, accountId, agent } = await tenant();
  const profile = await world.profile('Grace', accountId);
  const { secret: scoped } = await world.key({ accountId, profileId: profile.id });
  const { secret: asking } = await world.key({ accountId, approval: 'required' });
  const { body } = await stop({ keyId: agent.id });

  for (const by of [scoped, asking]) {
    expect((await stop({}, by)).status).toBe(403);
    expect((await release(body.stop.id, 'send', by)).status).toBe(403);
  }
});
