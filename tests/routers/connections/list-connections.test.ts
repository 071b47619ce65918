/** GET /connections: which connections a key sees, and how the filter by profile behaves. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox, storeBluesky } from '../../harness/connections.ts';
import { NOBODY, refusal } from '../../harness/expected.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

describe('200', () => {
  it('lists every living connection of the account, newest first, each with its profile', async () => {
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
          reconnectRequired: null,
        },
        {
          id: own.id,
          slug: 'sandbox',
          platformId: 'sandbox',
          description: 'Mine',
          timezone: 'UTC',
          queueSlots: [],
          profileId: null,
          reconnectRequired: null,
        },
      ],
    });
  });

  it('is an empty list for an account without connections', async () => {
    const { key } = await makeAccount(world);

    const { status, body } = await world.rest('GET /connections', { key });

    expect(status).toBe(200);
    expect(body).toEqual({ connections: [] });
  });

  it('gives only the connections of the profile that is named', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const [acme, globex] = [await world.profile('Acme', accountId), await world.profile('Globex', accountId)];
    await connectSandbox(world, { key });
    await connectSandbox(world, { key, profileId: globex.id });
    const wanted = await connectSandbox(world, { key, profileId: acme.id });

    const { status, body } = await world.rest(`GET /connections?profileId=${acme.id}`, { key });

    expect(status).toBe(200);
    expect(body).toEqual({ connections: [wanted] });
  });

  it('leaves deleted connections out', async () => {
    const { key } = await makeAccount(world);
    const kept = await connectSandbox(world, { key });
    const deleted = await connectSandbox(world, { key });
    await world.rest(`DELETE /connections/${deleted.id}`, { key });

    const { body } = await world.rest('GET /connections', { key });

    expect(body).toEqual({ connections: [kept] });
  });

  it('shows a scoped key the connections of its profile and nothing else', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const [acme, globex] = [await world.profile('Acme', accountId), await world.profile('Globex', accountId)];
    await connectSandbox(world, { key });
    await connectSandbox(world, { key, profileId: globex.id });
    const wanted = await connectSandbox(world, { key, profileId: acme.id });
    const scoped = await world.key({ accountId, profileId: acme.id });

    const { body } = await world.rest('GET /connections', { key: scoped.secret });

    expect(body).toEqual({ connections: [wanted] });
  });

  it.each([
    ['as it was given', (id: string) => id],
    ['in capitals', (id: string) => id.toUpperCase()],
  ])('lets a scoped key name its own profile %s', async (_case, spell) => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    const connection = await connectSandbox(world, { key, profileId: profile.id });
    const scoped = await world.key({ accountId, profileId: profile.id });

    const { status, body } = await world.rest(`GET /connections?profileId=${spell(profile.id)}`, {
      key: scoped.secret,
    });

    expect(status).toBe(200);
    expect(body).toEqual({ connections: [connection] });
  });

  it('shows a test key sandbox connections only', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const sandbox = await connectSandbox(world, { key });
    const bluesky = await storeBluesky(world, accountId);
    const testKey = await world.key({ accountId, type: 'test' });

    const [seenLive, seenTest] = [
      await world.rest('GET /connections', { key }),
      await world.rest('GET /connections', { key: testKey.secret }),
    ];

    expect(seenLive.body).toEqual({ connections: [bluesky, sandbox] });
    expect(seenTest.body).toEqual({ connections: [sandbox] });
  });

  it('never shows another account’s connections', async () => {
    const [one, other] = [await makeAccount(world), await makeAccount(world)];
    const mine = await connectSandbox(world, { key: one.key });
    await connectSandbox(world, { key: other.key });

    const { body } = await world.rest('GET /connections', { key: one.key });

    expect(body).toEqual({ connections: [mine] });
  });
});

describe('400 invalid_request', () => {
  it('names a profileId that is not a UUID', async () => {
    const { status, body } = await world.rest('GET /connections?profileId=acme');

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_request', 'profileId: expected a UUID.', {
        details: [{ path: 'profileId', expected: 'a UUID', received: 'acme' }],
      }),
    );
  });

  it('refuses a profile that does not exist', async () => {
    const { status, body } = await world.rest(`GET /connections?profileId=${NOBODY}`);

    expect(status).toBe(400);
    expect(body).toEqual(refusal('invalid_request', `profileId: ${NOBODY} is not one of your profiles.`));
  });

  it('refuses a profile that was deleted', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    await world.sql('update profiles set deleted_at = $2 where id = $1', [profile.id, world.clock.now()]);

    const { status, body } = await world.rest(`GET /connections?profileId=${profile.id}`, { key });

    expect(status).toBe(400);
    expect(body).toEqual(refusal('invalid_request', `profileId: ${profile.id} is not one of your profiles.`));
  });

  it('refuses another account’s profile', async () => {
    const [one, other] = [await makeAccount(world), await makeAccount(world)];
    const foreign = await world.profile('Acme', other.id);

    const { status, body } = await world.rest(`GET /connections?profileId=${foreign.id}`, { key: one.key });

    expect(status).toBe(400);
    expect(body).toEqual(refusal('invalid_request', `profileId: ${foreign.id} is not one of your profiles.`));
  });

  it('refuses a scoped key another profile of its own account', async () => {
    const { id: accountId } = await makeAccount(world);
    const [acme, globex] = [await world.profile('Acme', accountId), await world.profile('Globex', accountId)];
    const scoped = await world.key({ accountId, profileId: acme.id });

    const { status, body } = await world.rest(`GET /connections?profileId=${globex.id}`, { key: scoped.secret });

    expect(status).toBe(400);
    expect(body).toEqual(refusal('invalid_request', `profileId: ${globex.id} is not one of your profiles.`));
  });
});
