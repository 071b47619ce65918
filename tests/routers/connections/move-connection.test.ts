/**
 * PATCH /connections/{connectionId} moves a connection to another profile. Its existing posts stay with the old
 * profile.
 */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox, storeBluesky } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal, UUID } from '../../harness/expected.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { createProfile } from '../../harness/profiles.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

const HOUR_MS = 3_600_000;

/** An account with two profiles. */
async function tenant() {
  const account = await makeAccount(world);
  const [from, to] = [await createProfile(world, account.key), await createProfile(world, account.key)];
  return { ...account, from, to };
}

const move = (id: string, key: string, profileId: string | null) =>
  world.rest(`PATCH /connections/${id}`, { key, body: { profileId } });

/** Name and profile of every connection event, oldest first. */
async function history(id: string): Promise<[string, string | null][]> {
  return (await eventsAbout(world, id)).map((event) => [event.name, event.profile_id]);
}

describe('200', () => {
  it('moves between profiles, out of all profiles and back, with events for each move', async () => {
    const { key, from, to } = await tenant();
    const connection = await connectSandbox(world, { key, profileId: from.id });
    const { id } = connection;

    const answers = [await move(id, key, to.id), await move(id, key, null), await move(id, key, from.id)];

    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      [to.id, null, from.id].map((profileId) => [200, { connection: { ...connection, profileId } }]),
    );
    expect((await world.rest(`GET /connections/${id}`, { key })).body).toEqual({ connection });
    expect(await history(id)).toEqual([
      ['connection.created', from.id],
      ['connection.removed', from.id],
      ['connection.created', to.id],
      ['connection.removed', to.id],
      ['connection.created', null],
      ['connection.removed', null],
      ['connection.created', from.id],
    ]);
  });

  it('emits events with the old and the new profile', async () => {
    const { id: accountId, key, to } = await tenant();
    const { id, slug } = await connectSandbox(world, { key });
    const createdAt = world.clock.now().toISOString();

    await move(id, key, to.id);

    const [, ...events] = await eventsAbout(world, id);
    const event = (name: string, profileId: string | null) => ({
      id: UUID,
      account_id: accountId,
      profile_id: profileId,
      name,
      mode: 'live',
      payload: { connection: { id, profileId, connectSessionId: null, platformId: 'sandbox', slug } },
      created_at: createdAt,
    });
    expect(events).toEqual([event('connection.removed', null), event('connection.created', to.id)]);
  });

  it('changes nothing and emits nothing if the connection is already there', async () => {
    const { key, to } = await tenant();
    const connection = await connectSandbox(world, { key, profileId: to.id });

    const { status, body } = await move(connection.id, key, to.id);

    expect([status, body]).toEqual([200, { connection }]);
    expect(await history(connection.id)).toEqual([['connection.created', to.id]]);
  });

  it('keeps slug, queue and scheduled posts, and the profile of every post', async () => {
    const { key, from, to } = await tenant();
    const { id } = await connectSandbox(world, { key, profileId: from.id, slug: 'bells' });
    const slots = [{ weekday: 1, time: '09:00' }];
    await world.rest(`PATCH /connections/${id}/queue`, { key, body: { slots, timezone: 'Europe/Paris' } });
    const sent = await makePost(world, 'bells', { key });
    const scheduledFor = new Date(world.clock.now().getTime() + HOUR_MS).toISOString();
    const waiting = await makePost(world, 'bells', { key, text: 'Later', scheduledFor });

    const { body } = await move(id, key, to.id);
    await makePost(world, 'bells', { key, text: 'After' });
    await world.advance(HOUR_MS);

    expect(body.connection).toMatchObject({ slug: 'bells', queueSlots: slots, timezone: 'Europe/Paris' });
    const { body: listed } = await world.rest('GET /posts', { key });
    expect(listed.posts).toMatchObject([
      { text: 'After', status: 'sent', profileId: to.id },
      { id: waiting.postId, status: 'sent', profileId: from.id },
      { id: sent.postId, status: 'sent', profileId: from.id },
    ]);
    expect(await sandboxOf(world, id)).toHaveLength(3);
  });
});

describe('after a move', () => {
  /** A connection moved out of profile `from`, with a draft and a queued post that were written there. */
  async function moved() {
    const { id: accountId, key, from, to } = await tenant();
    const { id } = await connectSandbox(world, { key, profileId: from.id, slug: 'bells' });
    await world.rest(`PATCH /connections/${id}/queue`, { key, body: { slots: [{ weekday: 1, time: '09:00' }] } });
    const post = async (fields: object) => {
      const { body } = await world.rest('POST /posts', {
        key,
        body: { text: 'Ding', connectionSlugs: ['bells'], ...fields },
      });
      return body.results[0].postId as string;
    };
    const [draftId, queuedId] = [await post({ isDraft: true }), await post({ queue: true })];
    await move(id, key, to.id);
    const keyOf = async (profileId: string) => (await world.key({ accountId, profileId })).secret;
    return { id, key, draftId, queuedId, fromKey: await keyOf(from.id), toKey: await keyOf(to.id) };
  }

  it('the key of the old profile can no longer reach the connection or publish its drafts there', async () => {
    const { id, key, draftId, fromKey } = await moved();

    const connection = await world.rest(`GET /connections/${id}`, { key: fromKey });
    const read = await world.rest(`GET /posts/${draftId}`, { key: fromKey });
    const published = await world.rest(`POST /posts/${draftId}/publish`, { key: fromKey, body: {} });

    expect([connection.status, read.status]).toEqual([404, 200]);
    const message =
      'The connection this post was written for ("bells") was deleted or has left this profile. Create the post again for another connection.';
    expect([published.status, published.body]).toEqual([400, refusal('invalid_connection', message)]);
    expect(await sandboxOf(world, id)).toEqual([]);
    const whole = await world.rest(`POST /posts/${draftId}/publish`, { key, body: {} });
    expect([whole.status, whole.body.result.status]).toEqual([200, 'sent']);
  });

  it('the key of the new profile cannot see what the old profile wrote', async () => {
    const { id, key, queuedId, toKey } = await moved();

    const queue = await world.rest(`GET /connections/${id}/queue`, { key: toKey });
    const post = await world.rest(`GET /posts/${queuedId}`, { key: toKey });

    expect([queue.status, queue.body]).toEqual([200, { queue: [], paused: false, nextCursor: null }]);
    expect(post.status).toBe(404);
    const whole = await world.rest(`GET /connections/${id}/queue`, { key });
    expect(whole.body.queue).toMatchObject([{ id: queuedId }]);
  });

  it('a slug that exists in two profiles but not outside a profile matches no connection', async () => {
    const { key, from, to } = await tenant();
    const { id } = await connectSandbox(world, { key, slug: 'bells' });
    await connectSandbox(world, { key, slug: 'bells', profileId: from.id });
    const before = await makePost(world, 'bells', { key });

    await move(id, key, to.id);

    const { status, body } = await world.rest('POST /posts', {
      key,
      body: { text: 'Which?', connectionSlugs: ['bells'] },
    });
    expect(before.status).toBe('sent');
    expect([status, body.error]).toEqual([400, 'invalid_connection']);
  });
});

describe('400 invalid_request', () => {
  it.each<[string, unknown, string]>([
    ['an empty body', {}, 'profileId: expected a string.'],
    ['a malformed profileId', { profileId: 'acme' }, 'profileId: expected a UUID.'],
    ['an unknown field', { profileId: null, slug: 'x' }, 'body: expected no field called "slug".'],
  ])('refuses %s', async (_case, body, message) => {
    const { id } = await connectSandbox(world, {});

    const answer = await world.rest(`PATCH /connections/${id}`, { body });

    expect([answer.status, answer.body.error, answer.body.message]).toEqual([400, 'invalid_request', message]);
  });
});

describe('403 forbidden', () => {
  it('refuses a scoped key, also within its profile', async () => {
    const { id: accountId, key, from } = await tenant();
    const connection = await connectSandbox(world, { key, profileId: from.id });
    const { secret } = await world.key({ accountId, profileId: from.id });

    const { status, body } = await move(connection.id, secret, null);

    const message =
      'This key or access token is limited to one profile; this operation needs one that reaches the whole account.';
    expect([status, body]).toEqual([403, refusal('forbidden', message)]);
    expect(await history(connection.id)).toEqual([['connection.created', from.id]]);
  });
});

describe('404 not_found', () => {
  it('has one body for an unknown, another account’s, a deleted and, with a test key, a real connection', async () => {
    const { id: accountId, key, to } = await tenant();
    const other = await makeAccount(world);
    const foreign = await connectSandbox(world, { key: other.key });
    const deleted = await connectSandbox(world, { key });
    await world.rest(`DELETE /connections/${deleted.id}`, { key });
    const real = await storeBluesky(world, accountId);
    const testKey = (await world.key({ accountId, type: 'test' })).secret;

    const asked: [string, string][] = [
      [UNKNOWN_ID, key],
      [foreign.id, key],
      [deleted.id, key],
      [real.id, testKey],
    ];
    for (const [id, asking] of asked) {
      const { status, body } = await move(id, asking, to.id);
      expect([status, body]).toEqual([404, refusal('not_found', `No connection of yours has the id ${id}.`)]);
    }
  });

  it('has the same body for an unknown profile, another account’s and a deleted one, and moves nothing', async () => {
    const { key, from } = await tenant();
    const other = await tenant();
    const connection = await connectSandbox(world, { key });
    await world.rest(`DELETE /profiles/${from.id}`, { key });

    for (const profileId of [UNKNOWN_ID, other.to.id, from.id]) {
      const { status, body } = await move(connection.id, key, profileId);
      expect([status, body]).toEqual([404, refusal('not_found', `No profile of yours has the id ${profileId}.`)]);
    }
    expect((await world.rest(`GET /connections/${connection.id}`, { key })).body).toEqual({ connection });
  });
});

describe('409 connection_conflict', () => {
  it('refuses a slug that exists in the target, which is a profile or none', async () => {
    const { key, to } = await tenant();
    const own = await connectSandbox(world, { key, slug: 'bells' });
    const inside = await connectSandbox(world, { key, slug: 'bells', profileId: to.id });

    const into = await move(own.id, key, to.id);
    const out = await move(inside.id, key, null);

    const tail = 'hold a connection with the slug "bells"; give one of the two another slug.';
    expect([into.status, into.body]).toEqual([
      409,
      refusal('connection_conflict', `The profile ${to.id} already ${tail.replace('hold', 'holds')}`),
    ]);
    expect([out.status, out.body]).toEqual([409, refusal('connection_conflict', `Your own accounts already ${tail}`)]);
    expect(await history(own.id)).toEqual([['connection.created', null]]);
  });

  it('refuses an account that is connected in the target', async () => {
    const { id: accountId, key, from, to } = await tenant();
    const connection = await storeBluesky(world, accountId, { slug: 'one', profileId: from.id });
    const there = await storeBluesky(world, accountId, { slug: 'two', profileId: to.id });
    await world.sql('update connections set platform_account_id = $2 where id = any($1::uuid[])', [
      [connection.id, there.id],
      'did:plc:same',
    ]);

    const { status, body } = await move(connection.id, key, to.id);

    const message = `The profile ${to.id} already holds the bluesky account alice; use that connection, or delete it first.`;
    expect([status, body]).toEqual([409, refusal('connection_conflict', message)]);
    expect((await world.rest(`GET /connections/${connection.id}`, { key })).body).toEqual({ connection });
  });

  it('lets one of many concurrent moves take a slug', async () => {
    const { key, to } = await tenant();
    const ids = [];
    for (let count = 0; count < 4; count += 1) {
      const profile = await createProfile(world, key);
      ids.push((await connectSandbox(world, { key, slug: 'bells', profileId: profile.id })).id);
    }

    const answers = await Promise.all(ids.map((id) => move(id, key, to.id)));

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    const { body } = await world.rest(`GET /connections?profileId=${to.id}`, { key });
    expect(body.connections).toHaveLength(1);
  });

  it('answers two connections that swap places concurrently without a server error', async () => {
    const { key, from, to } = await tenant();
    const one = await connectSandbox(world, { key, slug: 'bells', profileId: from.id });
    const other = await connectSandbox(world, { key, slug: 'bells', profileId: to.id });

    const answers = await Promise.all([move(one.id, key, to.id), move(other.id, key, from.id)]);

    expect(answers.map(({ status }) => status)).toEqual([409, 409]);
  });

  it('never leaves a connection in a profile that was deleted concurrently', async () => {
    const { key, from, to } = await tenant();
    const inside = await connectSandbox(world, { key, profileId: from.id, slug: 'inside' });
    const outside = await connectSandbox(world, { key, slug: 'outside' });

    const [out, into, deleted] = await Promise.all([
      move(inside.id, key, to.id),
      move(outside.id, key, from.id),
      world.rest(`DELETE /profiles/${from.id}`, { key }),
    ]);

    expect([200, 404]).toContain(out.status);
    expect([200, 404]).toContain(into.status);
    expect(deleted.status).toBe(200);
    const { body } = await world.rest('GET /connections', { key });
    expect(body.connections.filter(({ profileId }: { profileId: string }) => profileId === from.id)).toEqual([]);
    for (const id of [inside.id, outside.id]) {
      const names = (await history(id)).map(([name]) => name);
      expect(names).toEqual(
        names.map((_name, index) => (index % 2 === 0 ? 'connection.created' : 'connection.removed')),
      );
    }
  });
});
