/** A stop, or its release, that happens while posts are stored, published and sent (docs/contract/stops.md). */
import { describe, expect, it, vi } from 'vitest';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import { settleSends } from '../../../services/sending/settle-sends.ts';
import { holdStopped } from '../../../services/stops/hold-stopped.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const HOUR = 3_600_000;
const iso = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();

async function tenant() {
  const { key, connection, id: accountId } = await accountWithSandbox(world);
  const agent = await world.key({ accountId });
  const post = async (fields: object = {}, headers: Record<string, string> = {}) => {
    const body = { text: 'Ding', connectionSlugs: ['sandbox'], ...fields };
    return (await world.rest('POST /posts', { key: agent.secret, body, headers })).body.results[0];
  };
  const stop = async (body: object = {}) => (await world.rest('POST /stops', { key, body })).body.stop;
  return {
    accountId,
    key,
    agent,
    post,
    stop,
    schedule: async (fields: object = {}): Promise<string> =>
      (await post({ scheduledFor: iso(HOUR), ...fields })).postId,
    /** Posts, and stops everything when the request has found its connections. */
    postWhileStopped: async (fields: object = {}, headers: Record<string, string> = {}) => {
      const lookups = world.context.targetLookups;
      const add = lookups.add.bind(lookups);
      const spy = vi.spyOn(lookups, 'add').mockImplementationOnce(async (lookup) => {
        const rows = await add(lookup);
        await stop();
        return rows;
      });
      const result = await post(fields, headers);
      spy.mockRestore();
      return result;
    },
    policy: (rules: object) => world.rest(`PUT /policies/${agent.id}`, { key, body: rules }),
    publish: async (postId: string) =>
      (await world.rest(`POST /posts/${postId}/publish`, { key: agent.secret, body: {} })).body,
    release: (stopId: string, posts: 'send' | 'drop') =>
      world.rest(`POST /stops/${stopId}/release`, { key, body: { posts } }),
    read: async (postId: string) => (await world.rest(`GET /posts/${postId}`, { key })).body.post,
    published: async () => (await sandboxOf(world, connection.id)).length,
  };
}

const REFUSED = { status: 'failed', postId: null, error: { code: 'stopped' } };

describe('a post that was checked before a stop began, and not stored yet', () => {
  it('is refused, sent now or later', async () => {
    const [now, later] = [await tenant(), await tenant()];

    expect(await now.postWhileStopped()).toMatchObject(REFUSED);
    expect(await later.postWhileStopped({ scheduledFor: iso(HOUR) })).toMatchObject(REFUSED);
    await world.advance(HOUR);
    expect([await now.published(), await later.published()]).toEqual([0, 0]);
  });

  it('is refused under a plan that counts posts, under a policy, and with an Idempotency-Key', async () => {
    const [counted, ruled, keyed] = [await tenant(), await tenant(), await tenant()];
    await world.sql(`update accounts set plan = 'free' where id = $1`, [counted.accountId]);
    await ruled.policy({ postsPerDay: 5 });
    const once = { 'idempotency-key': 'once' };

    const results = [
      await counted.postWhileStopped(),
      await ruled.postWhileStopped(),
      await keyed.postWhileStopped({}, once),
      await keyed.post({}, once),
    ];

    expect(results).toMatchObject([REFUSED, REFUSED, REFUSED, REFUSED]);
    expect([await counted.published(), await ruled.published(), await keyed.published()]).toEqual([0, 0, 0]);
  });

  it('leaves the draft whose place it takes', async () => {
    const { post, postWhileStopped, read } = await tenant();
    const draft = await post({ isDraft: true });

    expect(await postWhileStopped({ replaces: [draft.postId] })).toMatchObject(REFUSED);

    expect((await read(draft.postId)).status).toBe('draft');
  });

  it('is stored as a draft, if it is one', async () => {
    const { postWhileStopped } = await tenant();

    expect((await postWhileStopped({ isDraft: true })).status).toBe('draft');
  });
});

describe.skipIf(world.db.engine !== 'postgres')('a request that waits for a lock while a stop begins', () => {
  it('sends nothing: neither a new post nor a draft', async () => {
    const { agent, policy, post, publish, stop, published } = await tenant();
    await policy({ postsPerDay: 5 });
    const draft = await post({ isDraft: true });
    const held = await holdRows(world, 'select id from policies where id = $1 for update', [agent.id]);
    const [posting, publishing] = [post(), publish(draft.postId)];
    await held.waiting(2);

    await stop();
    await held.release();

    expect(await posting).toMatchObject(REFUSED);
    expect((await publishing).result).toMatchObject({ status: 'draft', error: { code: 'stopped' } });
    expect(await published()).toBe(0);
  });

  it('sends no failed post again', async () => {
    const { agent, policy, post, stop, published } = await tenant();
    await policy({ postsPerDay: 5 });
    const { postId } = await post({ text: '[[reject]] Ding' });
    await world.sql(`update posts set text = 'Ding' where id = $1`, [postId]);
    const held = await holdRows(world, 'select id from policies where id = $1 for update', [agent.id]);
    const retrying = world.rest(`POST /posts/${postId}/retry`, { key: agent.secret, body: {} });
    await held.waiting(1);

    await stop();
    await held.release();

    expect((await retrying).body.result).toMatchObject({ status: 'failed', error: { code: 'stopped' } });
    expect(await published()).toBe(0);
  });

  it('approves nothing: the request for approval stays pending', async () => {
    const { accountId, key, stop, read, published } = await tenant();
    const asking = await world.key({ accountId, approval: 'required' });
    const body = { text: 'May I?', connectionSlugs: ['sandbox'] };
    const { postId } = (await world.rest('POST /posts', { key: asking.secret, body })).body.results[0];
    const held = await holdRows(world, 'select id from posts where id = $1 for update', [postId]);
    const approving = world.rest(`POST /posts/${postId}/approve`, { key, body: {} });
    await held.waiting(1);

    await stop();
    await held.release();

    expect([(await approving).status, (await approving).body.error]).toEqual([403, 'stopped']);
    expect(await read(postId)).toMatchObject({ status: 'draft', approval: { state: 'pending' } });
    expect(await published()).toBe(0);
  });
});

describe.skipIf(world.db.engine !== 'postgres')('a stop that begins while other work locks some of its posts', () => {
  const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '09:00' }));
  const holdPost = (postId: string | undefined) =>
    holdRows(world, 'select id from posts where id = $1 for update', [postId]);

  it.each([
    ['in order', false],
    ['in the opposite order', true],
  ])('is answered, and so is the order of a queue %s', async (_, isReversed) => {
    const { key, connection } = await accountWithSandbox(world);
    const path = `/connections/${connection.id}/queue` as const;
    await world.rest(`PATCH ${path}`, { key, body: { slots: EVERY_DAY } });
    const order = (postIds: readonly string[]) => world.rest(`PUT ${path}/order`, { key, body: { postIds } });
    const ids: string[] = [];
    for (const text of ['First', 'Second', 'Third']) {
      const { body } = await world.rest('POST /posts', {
        key,
        body: { text, connectionSlugs: ['sandbox'], queue: true },
      });
      ids.push(body.results[0].postId);
    }
    const present = isReversed ? ids.toReversed() : ids;
    await order(present);
    const held = await holdPost(ids[1]);
    const ordering = order(present.toReversed());
    await held.waiting(1, ordering);
    const stopping = world.rest('POST /stops', { key, body: {} });
    await held.waiting(2, stopping);

    await held.release();

    expect([(await ordering).status, (await stopping).status]).toEqual([200, 201]);
    const { queue } = (await ordering).body;
    expect(queue.map(({ id }: { id: string }) => id)).toEqual(present.toReversed());
  });

  it.each([
    ['in order', [1, 2, 3]],
    ['in the opposite order', [3, 2, 1]],
  ])('is answered, and so is the removal of a connection whose posts are due %s', async (_, hours) => {
    const { key, connection } = await accountWithSandbox(world);
    const ids: string[] = [];
    for (const hour of hours) {
      const body = { text: 'Ding', connectionSlugs: ['sandbox'], scheduledFor: iso(hour * HOUR) };
      ids.push((await world.rest('POST /posts', { key, body })).body.results[0].postId);
    }
    // Stored behind the others, as after a change.
    if (hours[0] === 3)
      for (const id of ids.toReversed()) await world.sql('update posts set text = text where id = $1', [id]);
    const held = await holdPost(ids[1]);
    const removing = world.rest(`DELETE /connections/${connection.id}`, { key });
    await held.waiting(1, removing);
    const stopping = world.rest('POST /stops', { key, body: {} });
    await held.waiting(2, stopping);

    await held.release();

    expect([(await removing).status, (await stopping).status]).toEqual([200, 201]);
  });

  it.each([
    ['in order', false],
    ['in the opposite order', true],
  ])('is answered, and the sends that end %s are settled', async (_, isReversed) => {
    const { key, schedule, read } = await tenant();
    const ids = [await schedule(), await schedule(), await schedule()];
    world.clock.advance(HOUR);
    const { sends } = await claimDueSends(world.context);
    const outcome = { error: null, threadCount: 0, hasFirstComment: false, last: null };
    const settlements = (isReversed ? sends.toReversed() : sends).map((claimed) => ({
      claimed,
      outcome: { ...outcome, head: { platformPostId: claimed.post.id, url: null } },
    }));
    const held = await holdPost(ids[1]);
    const settling = settleSends(world.context, settlements);
    await held.waiting(1, settling);
    const stopping = world.rest('POST /stops', { key, body: {} });
    await held.waiting(2, stopping);

    await held.release();

    expect([await settling, (await stopping).status]).toEqual([[true, true, true], 201]);
    expect((await Promise.all(ids.map(read))).map(({ status }) => status)).toEqual(['sent', 'sent', 'sent']);
  });

  it('delays the sends of its account that end meanwhile, and none of another account', async () => {
    const [stopped, other] = [await tenant(), await tenant()];
    const [sent, waiting] = [await stopped.schedule(), await stopped.schedule({ scheduledFor: iso(2 * HOUR) })];
    world.clock.advance(HOUR);
    const { sends } = await claimDueSends(world.context);
    const held = await holdPost(waiting);
    const stopping = world.rest('POST /stops', { key: stopped.key, body: {} });
    await held.waiting(1, stopping);
    const sending = Promise.all(sends.map((send) => world.context.sends.send(send)));
    await held.waiting(2, sending);

    const result = await other.post();

    expect([result.status, (await stopped.read(sent)).status]).toEqual(['sent', 'processing']);
    await held.release();
    expect([(await stopping).status, (await sending).map(({ error }) => error)]).toEqual([201, [null]]);
    expect((await stopped.read(sent)).status).toBe('sent');
  });
});

describe.skipIf(world.db.engine !== 'postgres')('a release', () => {
  it('beside that of another stop leaves no post held', async () => {
    const { agent, schedule, stop, release, read } = await tenant();
    const postId = await schedule();
    const [everything, ofAgent] = [await stop(), await stop({ keyId: agent.id })];
    const held = await holdRows(world, 'select id from posts where id = $1 for update', [postId]);
    const first = release(everything.id, 'send');
    await held.waiting(1);
    const second = release(ofAgent.id, 'send');
    // The second one waits for the first, or has ended, if nothing keeps them apart.
    await Promise.race([held.waiting(2), second]);

    await held.release();

    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    await world.advance(HOUR);
    expect(await read(postId)).toMatchObject({ status: 'sent', stopId: null });
  });

  it('that drops posts cancels one whose send ends meanwhile and waits for a repeat', async () => {
    const { schedule, stop, release, read, published } = await tenant();
    const [waiting, sending] = [await schedule(), await schedule({ text: 'Busy' })];
    // As if it was being sent.
    await world.sql(
      `update posts set status = 'processing', claim = gen_random_uuid(), claimed_until = $2, tries = 1 where id = $1`,
      [sending, iso(HOUR)],
    );
    const { id } = await stop();
    // As the settlement of a send whose platform was not available.
    const settling = await holdRows(
      world,
      `update posts set status = 'scheduled', claim = null, claimed_until = null, repeats = 1, generation = generation + 1,
         scheduled_for = $2, held = stop_id is not null where id = $1`,
      [sending, iso(HOUR)],
    );
    const dropping = release(id, 'drop');
    await settling.waiting(1);

    await settling.release();

    expect((await dropping).status).toBe(200);
    await world.advance(HOUR);
    expect([(await read(waiting)).status, (await read(sending)).status]).toEqual(['cancelled', 'cancelled']);
    expect(await published()).toBe(0);
  });

  it('while a worker holds the due posts of the stop leaves none held', async () => {
    const { key, schedule, stop, release, read } = await tenant();
    const postId = await schedule();
    const { id } = await stop();
    // As if it had been stored at the moment of the stop.
    await world.sql('update posts set held = false, stop_id = null where id = $1', [postId]);
    const held = await holdRows(world, 'select id from posts where id = $1 for update', [postId]);
    world.clock.advance(HOUR);
    const holding = holdStopped(world.context);
    await held.waiting(1);
    const releasing = release(id, 'send');
    // The release waits for the worker, or has ended, if nothing keeps them apart.
    await Promise.race([held.waiting(2), releasing]);

    await held.release();

    await holding;
    expect([(await releasing).status, (await world.rest('GET /stops', { key })).body.stops]).toEqual([200, []]);
    await world.runDue();
    expect(await read(postId)).toMatchObject({ status: 'sent', stopId: null });
  });
});
