/** GET /connections/{connectionId} returns one connection, and 404 to keys that cannot reach it. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox, storeBluesky } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal } from '../../harness/expected.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

function notFound(id: string) {
  return refusal('not_found', `No connection of yours has the id ${id}.`);
}

describe('200', () => {
  it('returns the connection', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    const { id } = await connectSandbox(world, { key, slug: 'news', description: 'News', profileId: profile.id });

    const { status, body } = await world.rest(`GET /connections/${id}`, { key });

    expect(status).toBe(200);
    expect(body).toEqual({
      connection: {
        id,
        slug: 'news',
        platformId: 'sandbox',
        description: 'News',
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
    });
  });

  it('returns a connection of its profile to a scoped key', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    const connection = await connectSandbox(world, { key, profileId: profile.id });
    const scoped = await world.key({ accountId, profileId: profile.id });

    const { status, body } = await world.rest(`GET /connections/${connection.id}`, { key: scoped.secret });

    expect(status).toBe(200);
    expect(body).toEqual({ connection });
  });

  it('accepts an id in uppercase', async () => {
    const { key } = await makeAccount(world);
    const connection = await connectSandbox(world, { key });

    const { status, body } = await world.rest(`GET /connections/${connection.id.toUpperCase()}`, { key });

    expect(status).toBe(200);
    expect(body).toEqual({ connection });
  });
});

describe('400 invalid_request', () => {
  it('for an id that is not a UUID', async () => {
    const { status, body } = await world.rest('GET /connections/news');

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_request', 'connectionId: expected a UUID.', {
        details: [{ path: 'connectionId', expected: 'a UUID', received: 'news' }],
      }),
    );
  });
});

describe('404 not_found', () => {
  it('for an unknown id', async () => {
    const { status, body } = await world.rest(`GET /connections/${UNKNOWN_ID}`);

    expect(status).toBe(404);
    expect(body).toEqual(notFound(UNKNOWN_ID));
  });

  it('for a deleted connection', async () => {
    const { key } = await makeAccount(world);
    const { id } = await connectSandbox(world, { key });
    await world.rest(`DELETE /connections/${id}`, { key });

    const { status, body } = await world.rest(`GET /connections/${id}`, { key });

    expect(status).toBe(404);
    expect(body).toEqual(notFound(id));
  });

  it('for another account’s connection', async () => {
    const [one, other] = [await makeAccount(world), await makeAccount(world)];
    const { id } = await connectSandbox(world, { key: other.key });

    const { status, body } = await world.rest(`GET /connections/${id}`, { key: one.key });

    expect(status).toBe(404);
    expect(body).toEqual(notFound(id));
  });

  it('for a connection outside the profile of a scoped key', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    const { id } = await connectSandbox(world, { key });
    const scoped = await world.key({ accountId, profileId: profile.id });

    const { status, body } = await world.rest(`GET /connections/${id}`, { key: scoped.secret });

    expect(status).toBe(404);
    expect(body).toEqual(notFound(id));
  });

  it('for a connection outside the sandbox with a test key', async () => {
    const { id: accountId } = await makeAccount(world);
    const { id } = await storeBluesky(world, accountId);
    const testKey = await world.key({ accountId, type: 'test' });

    const { status, body } = await world.rest(`GET /connections/${id}`, { key: testKey.secret });

    expect(status).toBe(404);
    expect(body).toEqual(notFound(id));
  });
});
