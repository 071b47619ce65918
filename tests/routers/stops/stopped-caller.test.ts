/** A stopped key or agent sends nothing that another caller has created either (docs/contract/stops.md). */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { consoleCalls } from '../../harness/console-calls.ts';
import { createKey } from '../../harness/created-keys.ts';
import { refusal } from '../../harness/expected.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { callTool, signIn, tokensFor } from '../../oauth/agents.ts';

const world = await startWorld();
const HOUR = 3_600_000;
const iso = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '09:00' }));

/** An owner's key, which creates the posts, and an agent's. */
async function tenant() {
  const { key, connection, id: accountId } = await accountWithSandbox(world);
  const agent = await world.key({ accountId });
  await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots: EVERY_DAY } });
  const create = async (fields: object, by = key): Promise<string> =>
    (await world.rest('POST /posts', { key: by, body: { text: 'Ding', connectionSlugs: ['sandbox'], ...fields } })).body
      .results[0].postId;
  const read = async (postId: string) => (await world.rest(`GET /posts/${postId}`, { key })).body.post;
  return {
    accountId,
    key,
    connection,
    agent,
    create,
    read,
    asAgent: (call: Parameters<typeof world.rest>[0], body: object = {}) =>
      world.rest(call, { key: agent.secret, body }),
    stop: (body: object = { keyId: agent.id }) => world.rest('POST /stops', { key, body }),
    published: async () => (await sandboxOf(world, connection.id)).length,
  };
}

const stoppedError = (what = 'of this API key') => ({
  code: 'stopped',
  message: `Nothing ${what} goes out since ${iso(0)}: A key has stopped it. Drafts can be written; an owner releases the stop.`,
});

describe('a stopped key', () => {
  it.each([
    ['now', {}],
    ['at a time', { scheduledFor: iso(HOUR) }],
    ['in the queue', { queue: true }],
  ])('edits the draft of another key and does not publish it %s', async (_, when) => {
    const { create, stop, asAgent, read, published } = await tenant();
    const postId = await create({ isDraft: true });
    await stop();

    const edited = await asAgent(`PATCH /posts/${postId}`, { text: 'Dong' });
    const { status, body } = await asAgent(`POST /posts/${postId}/publish`, when);

    expect([edited.status, status, body.result.status, body.result.error]).toEqual([200, 200, 'draft', stoppedError()]);
    expect(await read(postId)).toMatchObject({ status: 'draft', text: 'Dong', scheduledFor: null });
    expect(await published()).toBe(0);
  });

  it('does not retry the failed post of another key', async () => {
    const { create, stop, asAgent, read, published } = await tenant();
    const postId = await create({ text: '[[reject]] Ding' });
    await world.sql(`update posts set text = 'Ding' where id = $1`, [postId]);
    await stop();
    const before = await read(postId);

    const { body } = await asAgent(`POST /posts/${postId}/retry`);

    expect([body.result.status, body.result.error]).toEqual(['failed', stoppedError()]);
    expect([await read(postId), await published()]).toEqual([before, 0]);
  });

  it('does not move the post of another key, to a time or into the queue', async () => {
    const { create, stop, asAgent, read } = await tenant();
    const postId = await create({ scheduledFor: iso(2 * HOUR) });
    await stop();
    const before = await read(postId);

    const answers = [
      await asAgent(`POST /posts/${postId}/reschedule`, { scheduledFor: iso(HOUR) }),
      await asAgent(`POST /posts/${postId}/reschedule`, { queue: true }),
    ];

    for (const { status, body } of answers) {
      const { status: present, scheduledFor, error } = body.result;
      expect([status, present, scheduledFor, error]).toEqual([200, 'scheduled', before.scheduledFor, stoppedError()]);
    }
    expect(await read(postId)).toEqual(before);
  });

  it('does not change the order of a queue', async () => {
    const { connection, create, stop, asAgent, read } = await tenant();
    const ids = [await create({ queue: true }), await create({ queue: true })];
    await stop();
    const before = await Promise.all(ids.map(read));

    const { status, body } = await asAgent(`PUT /connections/${connection.id}/queue/order`, {
      postIds: ids.toReversed(),
    });

    expect([status, body]).toEqual([403, refusal('stopped', stoppedError().message)]);
    expect(await Promise.all(ids.map(read))).toEqual(before);
  });

  it('pauses a queue, and does not resume it', async () => {
    const { connection, key, create, stop, asAgent, read } = await tenant();
    const postId = await create({ queue: true });
    const paused = await asAgent(`PATCH /connections/${connection.id}/queue`, { paused: true });
    const before = await read(postId);
    await stop();

    const again = await asAgent(`PATCH /connections/${connection.id}/queue`, { paused: true });
    const resumed = await asAgent(`PATCH /connections/${connection.id}/queue`, {
      paused: false,
      timezone: 'Asia/Tokyo',
    });
    const present = await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { paused: true } });

    expect([again.status, resumed.status, resumed.body]).toEqual([
      200,
      403,
      refusal('stopped', stoppedError().message),
    ]);
    expect([await read(postId), present.body]).toEqual([before, paused.body]);
  });

  it('does not approve the post of another key, whose request stays pending', async () => {
    const { accountId, create, stop, asAgent, read, published } = await tenant();
    const asking = await world.key({ accountId, approval: 'required' });
    const postId = await create({}, asking.secret);
    await stop();

    const { status, body } = await asAgent(`POST /posts/${postId}/approve`);

    expect([status, body.error]).toEqual([403, 'stopped']);
    expect(await read(postId)).toMatchObject({ status: 'draft', approval: { state: 'pending' } });
    expect(await published()).toBe(0);
  });

  it('cancels and deletes posts of another key', async () => {
    const { create, stop, asAgent, read } = await tenant();
    const [draft, scheduled] = [await create({ isDraft: true }), await create({ scheduledFor: iso(HOUR) })];
    await stop();

    await asAgent(`DELETE /posts/${draft}`);
    await asAgent(`DELETE /posts/${scheduled}`);

    expect([await read(draft), (await read(scheduled)).status]).toEqual([undefined, 'cancelled']);
  });

  it('stops the keys that it has created in the same way, and no other caller', async () => {
    const { accountId, key, create, agent, stop, read } = await tenant();
    const { id: profileId } = await world.profile('Customer', accountId);
    await world.rest('POST /connections', {
      key,
      body: { platformId: 'sandbox', credentials: {}, slug: 'shop', profileId },
    });
    const created = await createKey(world, agent, profileId);
    const draft = () => create({ isDraft: true, connectionSlugs: ['shop'] });
    const [first, second, third] = [await draft(), await draft(), await draft()];
    const call = await consoleCalls(world, (await signIn(world, accountId)).browser);
    await stop();

    const byCreated = await world.rest(`POST /posts/${first}/publish`, { key: created.secret, body: {} });
    await world.rest(`POST /posts/${second}/publish`, { key, body: {} });
    await call('posts.publish', { postId: third });

    expect(byCreated.body.result).toMatchObject({ status: 'draft', error: stoppedError() });
    const states = await Promise.all([first, second, third].map(read));
    expect(states.map(({ status }) => status)).toEqual(['draft', 'sent', 'sent']);
  });

  it('publishes again after the release', async () => {
    const { key, create, stop, asAgent } = await tenant();
    const postId = await create({ isDraft: true });
    const { id } = (await stop()).body.stop;
    await world.rest(`POST /stops/${id}/release`, { key, body: { posts: 'send' } });

    expect((await asAgent(`POST /posts/${postId}/publish`)).body.result.status).toBe('sent');
  });
});

describe('a stopped agent', () => {
  it('does not publish the draft of a key', async () => {
    const { accountId, create, stop, published } = await tenant();
    const postId = await create({ isDraft: true });
    const { access, clientId } = await tokensFor(world, await signIn(world, accountId), {
      scope: 'posts:read posts:write',
    });
    const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [clientId]);
    await stop({ grantId: grant?.id });

    const { body } = await callTool(world, access, 'publish_draft', { postId });

    expect(body.result.structuredContent.result.error).toEqual(stoppedError('of this agent'));
    expect(await published()).toBe(0);
  });
});

describe.skipIf(world.db.engine !== 'postgres')('a key that is stopped while its request waits for a lock', () => {
  it.each([
    ['now', {}],
    ['at a time', { scheduledFor: iso(HOUR) }],
  ])('does not publish the draft of another key %s', async (_, when) => {
    const { create, stop, asAgent, read, agent, key, published } = await tenant();
    await world.rest(`PUT /policies/${agent.id}`, { key, body: { postsPerDay: 5 } });
    const postId = await create({ isDraft: true });
    const held = await holdRows(world, 'select id from policies where id = $1 for update', [agent.id]);
    const publishing = asAgent(`POST /posts/${postId}/publish`, when);
    await held.waiting(1);

    await stop();
    await held.release();

    expect((await publishing).body.result).toMatchObject({ status: 'draft', error: { code: 'stopped' } });
    expect([(await read(postId)).status, await published()]).toEqual(['draft', 0]);
  });

  it('does not move the post of another key', async () => {
    const { create, stop, asAgent, read, agent, key } = await tenant();
    await world.rest(`PUT /policies/${agent.id}`, { key, body: { postsPerDay: 5 } });
    const postId = await create({ scheduledFor: iso(2 * HOUR) });
    const before = await read(postId);
    const held = await holdRows(world, 'select id from policies where id = $1 for update', [agent.id]);
    const moving = asAgent(`POST /posts/${postId}/reschedule`, { scheduledFor: iso(HOUR) });
    await held.waiting(1);

    await stop();
    await held.release();

    expect((await moving).body.result).toMatchObject({ status: 'scheduled', error: { code: 'stopped' } });
    expect(await read(postId)).toEqual(before);
  });

  it('does not change the order of a queue', async () => {
    const { connection, create, stop, asAgent, read } = await tenant();
    const ids = [await create({ queue: true }), await create({ queue: true })];
    const before = await Promise.all(ids.map(read));
    const held = await holdRows(world, 'select id from posts where id = $1 for update', [ids[0]]);
    const ordering = asAgent(`PUT /connections/${connection.id}/queue/order`, { postIds: ids.toReversed() });
    await held.waiting(1);

    await stop();
    await held.release();

    expect([(await ordering).status, (await ordering).body.error]).toEqual([403, 'stopped']);
    expect(await Promise.all(ids.map(read))).toEqual(before);
  });
});
