/** GET /connections: which connections a key can list, and the filter by profile. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { accountWithSandbox, connectSandbox, storeBluesky } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal } from '../../harness/expected.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

describe('200', () => {
  it('lists every active connection of the account, newest first, each with its profile', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    const own = await connectSandbox(world, { key, description: 'Mine' });
    const theirs = await connectSandbox(world, { key, profileId: profile.id });

    const { status, body } = await world.rest('GET /connections', { key });

    expect(status).toBe(200);
    expect(body).toEqual({
      connections: [
        {
          id: theirs.id,
          slug: 'sandbox',
          platformId: 'sandbox',
          description: 'Sandbox: sandbox',
          timezone: 'UTC',
          queueSlots: [],
          profileId: profile.id,
          rewriteMode: 'inherit',
          queuePaused: false,
          nextSlotAt: null,
          reconnectRequired: null,
          handle: 'sandbox',
          credentialRenewsAt: null,
          credentialEndsAt: null,
          createdAt: world.clock.now().toISOString(),
        },
        {
          id: own.id,
          slug: 'sandbox',
          platformId: 'sandbox',
          description: 'Mine',
          timezone: 'UTC',
          queueSlots: [],
          profileId: null,
          rewriteMode: 'inherit',
          queuePaused: false,
          nextSlotAt: null,
          reconnectRequired: null,
          handle: 'sandbox',
          credentialRenewsAt: null,
          credentialEndsAt: null,
          createdAt: world.clock.now().toISOString(),
        },
      ],
      nextCursor: null,
    });
  });

  it('is an empty list for an account without connections', async () => {
    const { key } = await makeAccount(world);

    const { status, body } = await world.rest('GET /connections', { key });

    expect(status).toBe(200);
    expect(body).toEqual({ connections: [], nextCursor: null });
  });

  it('lists only the connections of the requested profile', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const [acme, globex] = [await world.profile('Acme', accountId), await world.profile('Globex', accountId)];
    await connectSandbox(world, { key });
    await connectSandbox(world, { key, profileId: globex.id });
    const wanted = await connectSandbox(world, { key, profileId: acme.id });

    const { status, body } = await world.rest(`GET /connections?profileId=${acme.id}`, { key });

    expect(status).toBe(200);
    expect(body).toEqual({ connections: [wanted], nextCursor: null });
  });

  it('excludes deleted connections', async () => {
    const { key } = await makeAccount(world);
    const kept = await connectSandbox(world, { key });
    const deleted = await connectSandbox(world, { key });
    await world.rest(`DELETE /connections/${deleted.id}`, { key });

    const { body } = await world.rest('GET /connections', { key });

    expect(body).toEqual({ connections: [kept], nextCursor: null });
  });

  it('lists only the connections of its profile for a scoped key', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const [acme, globex] = [await world.profile('Acme', accountId), await world.profile('Globex', accountId)];
    await connectSandbox(world, { key });
    await connectSandbox(world, { key, profileId: globex.id });
    const wanted = await connectSandbox(world, { key, profileId: acme.id });
    const scoped = await world.key({ accountId, profileId: acme.id });

    const { body } = await world.rest('GET /connections', { key: scoped.secret });

    expect(body).toEqual({ connections: [wanted], nextCursor: null });
  });

  it.each([
    ['as it was given', (id: string) => id],
    ['in capitals', (id: string) => id.toUpperCase()],
  ])('lets a scoped key filter by its own profile %s', async (_case, spell) => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    const connection = await connectSandbox(world, { key, profileId: profile.id });
    const scoped = await world.key({ accountId, profileId: profile.id });

    const { status, body } = await world.rest(`GET /connections?profileId=${spell(profile.id)}`, {
      key: scoped.secret,
    });

    expect(status).toBe(200);
    expect(body).toEqual({ connections: [connection], nextCursor: null });
  });

  it('lists only sandbox connections for a test key', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const sandbox = await connectSandbox(world, { key });
    const bluesky = await storeBluesky(world, accountId);
    const testKey = await world.key({ accountId, type: 'test' });

    const [seenLive, seenTest] = [
      await world.rest('GET /connections', { key }),
      await world.rest('GET /connections', { key: testKey.secret }),
    ];

    expect(seenLive.body).toEqual({ connections: [bluesky, sandbox], nextCursor: null });
    expect(seenTest.body).toEqual({ connections: [sandbox], nextCursor: null });
  });

  it('never lists another account’s connections', async () => {
    const [one, other] = [await makeAccount(world), await makeAccount(world)];
    const mine = await connectSandbox(world, { key: one.key });
    await connectSandbox(world, { key: other.key });

    const { body } = await world.rest('GET /connections', { key: one.key });

    expect(body).toEqual({ connections: [mine], nextCursor: null });
  });
});

describe('400 invalid_request', () => {
  it('for a profileId that is not a UUID', async () => {
    const { status, body } = await world.rest('GET /connections?profileId=acme');

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_request', 'profileId: expected a UUID.', {
        details: [{ path: 'profileId', expected: 'a UUID', received: 'acme' }],
      }),
    );
  });

  it('for a profile that does not exist', async () => {
    const { status, body } = await world.rest(`GET /connections?profileId=${UNKNOWN_ID}`);

    expect(status).toBe(400);
    expect(body).toEqual(refusal('invalid_request', `profileId: no profile of yours has the id ${UNKNOWN_ID}.`));
  });

  it('for a deleted profile', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    await world.sql('update profiles set deleted_at = $2 where id = $1', [profile.id, world.clock.now()]);

    const { status, body } = await world.rest(`GET /connections?profileId=${profile.id}`, { key });

    expect(status).toBe(400);
    expect(body).toEqual(refusal('invalid_request', `profileId: no profile of yours has the id ${profile.id}.`));
  });

  it('for another account’s profile', async () => {
    const [one, other] = [await makeAccount(world), await makeAccount(world)];
    const foreign = await world.profile('Acme', other.id);

    const { status, body } = await world.rest(`GET /connections?profileId=${foreign.id}`, { key: one.key });

    expect(status).toBe(400);
    expect(body).toEqual(refusal('invalid_request', `profileId: no profile of yours has the id ${foreign.id}.`));
  });

  it('for another profile of the account with a scoped key', async () => {
    const { id: accountId } = await makeAccount(world);
    const [acme, globex] = [await world.profile('Acme', accountId), await world.profile('Globex', accountId)];
    const scoped = await world.key({ accountId, profileId: acme.id });

    const { status, body } = await world.rest(`GET /connections?profileId=${globex.id}`, { key: scoped.secret });

    expect(status).toBe(400);
    expect(body).toEqual(refusal('invalid_request', `profileId: no profile of yours has the id ${globex.id}.`));
  });
});

describe('settings and queue', () => {
  it('are included in each connection: AI polish mode, whether its queue is paused, and next free slot', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const path = `/connections/${connection.id}` as const;
    // The clock is at noon on a Saturday, so these are tomorrow and the day after.
    const slots = [0, 1].map((weekday) => ({ weekday, time: '09:00' }));
    await world.rest(`PATCH ${path}/queue`, { key, body: { slots, timezone: 'Europe/Paris', paused: true } });
    await world.rest(`PATCH ${path}/settings`, { key, body: { rewriteMode: 'off' } });
    const shown = async () => (await world.rest('GET /connections', { key })).body.connections[0];
    const queue = () =>
      world.rest('POST /posts', { key, body: { text: 'Ding', connectionSlugs: [connection.slug], queue: true } });

    const before = await shown();
    const { body } = await queue();
    const after = await shown();
    const single = await world.rest(`GET ${path}`, { key });

    expect(before).toMatchObject({ rewriteMode: 'off', queuePaused: true, nextSlotAt: '2026-11-22T08:00:00.000Z' });
    expect(body.results[0].scheduledFor).toBe(before.nextSlotAt);
    expect(after).toEqual({ ...before, nextSlotAt: '2026-11-23T08:00:00.000Z' });
    expect(single.body).toEqual({ connection: after });
  });
});

describe('pages', () => {
  it('list every connection once by cursor; without a limit, one page has all of them', async () => {
    const { key } = await makeAccount(world);
    const made: { id: string }[] = [];
    for (let number = 0; number < 3; number += 1) made.unshift(await connectSandbox(world, { key }));

    const first = await world.rest('GET /connections?limit=2', { key });
    const second = await world.rest(`GET /connections?limit=2&cursor=${first.body.nextCursor}`, { key });
    const rest = await world.rest(`GET /connections?cursor=${first.body.nextCursor}`, { key });

    expect(first.body).toEqual({ connections: made.slice(0, 2), nextCursor: made[1]?.id });
    expect(second.body).toEqual({ connections: made.slice(2), nextCursor: null });
    expect(rest.body).toEqual(second.body);
  });
});
