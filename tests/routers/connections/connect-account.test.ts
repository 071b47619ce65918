/** POST /connections verifies credentials, stores them encrypted, assigns a unique slug and emits an event. */
import { afterAll, describe, expect, it } from 'vitest';
import { startFakeBluesky } from '../../platforms/fakes/fake-bluesky.ts';
import { DROPPED, startWire } from '../../platforms/fakes/wire.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal, UUID } from '../../harness/expected.ts';
import { eventsAbout } from '../../harness/posts.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';

const bluesky = await startFakeBluesky({ now: () => START });
afterAll(() => bluesky.close());
const world = await startWorld({ env: { BLUESKY_SERVICE_URL: bluesky.url } });

const APP_PASSWORD = 'abcd-efgh-ijkl-mnop';
const { did: ALICE } = bluesky.addAccount('alice.example.com', APP_PASSWORD);
const LOGIN = { identifier: 'alice.example.com', appPassword: APP_PASSWORD };

async function countConnections(accountId: string): Promise<number> {
  const rows = await world.sql('select id from connections where account_id = $1', [accountId]);
  return rows.length;
}

describe('200', () => {
  it('connects a sandbox with a slug and a label derived from platform and handle', async () => {
    const { key } = await makeAccount(world);

    const { status, body } = await world.rest('POST /connections', {
      key,
      body: { platformId: 'sandbox', credentials: {} },
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      connection: {
        id: UUID,
        slug: 'sandbox',
        platformId: 'sandbox',
        description: 'Sandbox: sandbox',
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
    });
    const read = await world.rest(`GET /connections/${body.connection.id}`, { key });
    expect(read.body).toEqual(body);
  });

  it('uses the requested slug, label and profile', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);

    const { status, body } = await world.rest('POST /connections', {
      key,
      body: {
        platformId: 'sandbox',
        credentials: {},
        slug: 'acme-news',
        description: '  Acme’s news ',
        profileId: profile.id,
      },
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      connection: {
        id: UUID,
        slug: 'acme-news',
        platformId: 'sandbox',
        description: 'Acme’s news',
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

  it('emits connection.created with the profile and the mode of the key', async () => {
    const { id: accountId } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    const testKey = await world.key({ accountId, type: 'test' });

    const { body } = await world.rest('POST /connections', {
      key: testKey.secret,
      body: { platformId: 'sandbox', credentials: {}, profileId: profile.id },
    });

    const { id } = body.connection;
    expect(await eventsAbout(world, id)).toEqual([
      {
        id: UUID,
        account_id: accountId,
        profile_id: profile.id,
        name: 'connection.created',
        mode: 'test',
        payload: {
          connection: {
            id,
            profileId: profile.id,
            connectSessionId: null,
            platformId: 'sandbox',
            slug: 'sandbox',
          },
        },
        created_at: START.toISOString(),
      },
    ]);
  });

  it('numbers derived slugs, and starts again in another profile', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);

    const slugs = [
      await connectSandbox(world, { key }),
      await connectSandbox(world, { key }),
      await connectSandbox(world, { key }),
      await connectSandbox(world, { key, profileId: profile.id }),
    ].map(({ slug }) => slug);

    expect(slugs).toEqual(['sandbox', 'sandbox-2', 'sandbox-3', 'sandbox']);
  });

  it('gives each of twelve concurrent connections a different slug', async () => {
    const { key } = await makeAccount(world);

    const connections = await Promise.all(Array.from({ length: 12 }, () => connectSandbox(world, { key })));

    const slugs = new Set(connections.map(({ slug }) => slug));
    expect(slugs).toEqual(new Set(['sandbox', ...Array.from({ length: 11 }, (_, index) => `sandbox-${index + 2}`)]));
  });

  it('reuses the slug of a deleted connection', async () => {
    const { key } = await makeAccount(world);
    const { id } = await connectSandbox(world, { key, slug: 'news' });
    await world.rest(`DELETE /connections/${id}`, { key });

    const again = await connectSandbox(world, { key, slug: 'news' });

    expect(again).toMatchObject({ slug: 'news' });
    expect(again.id).not.toBe(id);
  });

  it('authenticates with the platform and stores the credentials encrypted', async () => {
    const { key } = await makeAccount(world);

    const { status, body } = await world.rest('POST /connections', {
      key,
      body: { platformId: 'bluesky', credentials: LOGIN },
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      connection: {
        id: UUID,
        slug: 'bluesky-alice-example-com',
        platformId: 'bluesky',
        description: 'Bluesky: alice.example.com',
        timezone: 'UTC',
        queueSlots: [],
        profileId: null,
        rewriteMode: 'inherit',
        queuePaused: false,
        nextSlotAt: null,
        reconnectRequired: null,
        handle: 'alice.example.com',
        credentialRenewsAt: null,
        credentialEndsAt: null,
        createdAt: world.clock.now().toISOString(),
      },
    });
    const { id } = body.connection;
    const [row] = await world.sql<{ platform_account_id: string; handle: string; credentials: string }>(
      'select platform_account_id, handle, credentials from connections where id = $1',
      [id],
    );
    expect(row).toEqual({
      platform_account_id: ALICE,
      handle: 'alice.example.com',
      credentials: expect.stringMatching(/^v1\./),
    });
    expect(world.context.vault.open(row?.credentials ?? '', id)).toMatchObject({ refreshJwt: expect.any(String) });
    expect(row?.credentials).not.toContain('refresh-');
  });

  it('connects the same account once in each profile', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const [acme, globex] = [await world.profile('Acme', accountId), await world.profile('Globex', accountId)];
    const connect = (profileId: string) =>
      world.rest('POST /connections', { key, body: { platformId: 'bluesky', credentials: LOGIN, profileId } });
    await connect(acme.id);

    const { status, body } = await connect(globex.id);

    expect(status).toBe(200);
    expect(body.connection).toMatchObject({ slug: 'bluesky-alice-example-com', profileId: globex.id });
  });
});

describe('400 invalid_request', () => {
  const valid = { platformId: 'sandbox', credentials: {} };

  it.each([
    ['no platform', { credentials: {} }, 'platformId: expected a string.'],
    ['no credentials', { platformId: 'sandbox' }, 'credentials: expected a record.'],
    [
      'a platform that does not exist',
      { ...valid, platformId: 'myspace' },
      /^platformId: "myspace" is not a platform of this install\. Available platforms: bluesky, .*sandbox/,
    ],
    [
      'credentials with a field too many',
      { ...valid, credentials: { token: 'x' } },
      'credentials: expected no field called "token".',
    ],
    [
      'credentials that lack a field',
      { platformId: 'bluesky', credentials: { identifier: 'alice.example.com' } },
      'credentials.appPassword: expected a string.',
    ],
    [
      'a slug in capitals',
      { ...valid, slug: 'News' },
      'slug: expected lowercase letters, digits and dashes, such as "bluesky-news".',
    ],
    [
      'a slug that ends in a dash',
      { ...valid, slug: 'news-' },
      'slug: expected lowercase letters, digits and dashes, such as "bluesky-news".',
    ],
    [
      'an empty slug',
      { ...valid, slug: '' },
      'slug: expected lowercase letters, digits and dashes, such as "bluesky-news".',
    ],
    ['a slug of 81 characters', { ...valid, slug: 'a'.repeat(81) }, 'slug: expected at most 80 characters.'],
    ['a blank label', { ...valid, description: '  ' }, 'description: expected at least 1 character.'],
    [
      'a label of 201 characters',
      { ...valid, description: 'a'.repeat(201) },
      'description: expected at most 200 characters.',
    ],
    [
      'a label with a NUL',
      { ...valid, description: 'a\u0000' },
      'description: expected text without NUL and without broken surrogate pairs.',
    ],
    ['a malformed profileId', { ...valid, profileId: 'acme' }, 'profileId: expected a UUID.'],
    ['a field that does not exist', { ...valid, name: 'x' }, 'body: expected no field called "name".'],
  ])('refuses %s and stores nothing', async (_case, sent, message) => {
    const { id: accountId, key } = await makeAccount(world);

    const { status, body } = await world.rest('POST /connections', { key, body: sent });

    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'invalid_request', message: expect.stringMatching(message) });
    expect(await countConnections(accountId)).toBe(0);
  });

  it('quotes the received value', async () => {
    const { status, body } = await world.rest('POST /connections', { body: { ...valid, slug: 'My News' } });

    expect(status).toBe(400);
    const expected = 'lowercase letters, digits and dashes, such as "bluesky-news"';
    expect(body).toEqual(
      refusal('invalid_request', `slug: expected ${expected}.`, {
        details: [{ path: 'slug', expected, received: 'My News' }],
      }),
    );
  });

  it('does not quote credentials back', async () => {
    const { body } = await world.rest('POST /connections', {
      body: { platformId: 'bluesky', credentials: { ...LOGIN, apppassword: 'hunter2' } },
    });

    expect(body).toMatchObject({ error: 'invalid_request' });
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(JSON.stringify(body)).not.toContain(APP_PASSWORD);
  });
});

describe('403 forbidden', () => {
  it('refuses a scoped key', async () => {
    const { id: accountId } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    const scoped = await world.key({ accountId, profileId: profile.id });

    const { status, body } = await world.rest('POST /connections', {
      key: scoped.secret,
      body: { platformId: 'sandbox', credentials: {}, profileId: profile.id },
    });

    expect(status).toBe(403);
    expect(body).toEqual(
      refusal(
        'forbidden',
        'This key or access token is limited to one profile; this operation needs one that reaches the whole account.',
      ),
    );
    expect(await countConnections(accountId)).toBe(0);
  });

  it('refuses a test key all platforms except the sandbox, without a platform call', async () => {
    const before = bluesky.calls['com.atproto.server.createSession'] ?? 0;

    const { status, body } = await world.rest('POST /connections', {
      key: world.testKey,
      body: { platformId: 'bluesky', credentials: LOGIN },
    });

    expect(status).toBe(403);
    expect(body).toEqual(refusal('forbidden', 'A test key connects sandbox only, not bluesky. Use a live key.'));
    expect(bluesky.calls['com.atproto.server.createSession'] ?? 0).toBe(before);
  });
});

describe('404 not_found', () => {
  it('refuses a profile that does not exist', async () => {
    const { status, body } = await world.rest('POST /connections', {
      body: { platformId: 'sandbox', credentials: {}, profileId: UNKNOWN_ID },
    });

    expect(status).toBe(404);
    expect(body).toEqual(refusal('not_found', `No profile of yours has the id ${UNKNOWN_ID}.`));
  });

  it('refuses another account’s profile', async () => {
    const [one, other] = [await makeAccount(world), await makeAccount(world)];
    const foreign = await world.profile('Acme', other.id);

    const { status, body } = await world.rest('POST /connections', {
      key: one.key,
      body: { platformId: 'sandbox', credentials: {}, profileId: foreign.id },
    });

    expect(status).toBe(404);
    expect(body).toEqual(refusal('not_found', `No profile of yours has the id ${foreign.id}.`));
    expect(await countConnections(one.id)).toBe(0);
  });
});

describe('409 connection_conflict', () => {
  it('refuses a slug that is in use', async () => {
    const { id: accountId, key } = await makeAccount(world);
    await connectSandbox(world, { key, slug: 'news' });

    const { status, body } = await world.rest('POST /connections', {
      key,
      body: { platformId: 'sandbox', credentials: {}, slug: 'news' },
    });

    expect(status).toBe(409);
    expect(body).toEqual(refusal('connection_conflict', 'The slug "news" is already taken here; choose another one.'));
    expect(await countConnections(accountId)).toBe(1);
  });

  it('refuses an account that is already connected, and emits no event', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const connect = (slug: string) =>
      world.rest('POST /connections', { key, body: { platformId: 'bluesky', credentials: LOGIN, slug } });
    await connect('first');

    const { status, body } = await connect('second');

    expect(status).toBe(409);
    expect(body).toEqual(
      refusal(
        'connection_conflict',
        'The Bluesky account alice.example.com is already connected here; use that connection or delete it first.',
      ),
    );
    expect(await countConnections(accountId)).toBe(1);
    expect(await world.sql('select name from events where account_id = $1', [accountId])).toEqual([
      { name: 'connection.created' },
    ]);
  });

  it('lets one of two concurrent requests have the same slug', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const connect = () =>
      world.rest('POST /connections', { key, body: { platformId: 'sandbox', credentials: {}, slug: 'news' } });

    const answers = await Promise.all([connect(), connect()]);

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await countConnections(accountId)).toBe(1);
  });
});

describe('422 platform_rejected', () => {
  it('reports that the platform refused the credentials, and stores nothing', async () => {
    const { id: accountId, key } = await makeAccount(world);

    const { status, headers, body } = await world.rest('POST /connections', {
      key,
      body: { platformId: 'bluesky', credentials: { ...LOGIN, appPassword: 'wrong' } },
    });

    expect(status).toBe(422);
    expect(body).toEqual(
      refusal('platform_rejected', expect.stringContaining('Invalid identifier or password') as unknown as string, {
        req_id: headers.get('x-request-id') ?? '',
      }),
    );
    expect(await countConnections(accountId)).toBe(0);
    expect(await world.sql('select id from events where account_id = $1', [accountId])).toEqual([]);
  });
});

describe('503 platform_unavailable', () => {
  it.each([
    ['cannot be reached', 'closed'],
    ['answers 503', 'down'],
    ['drops the answer', 'dropping'],
  ] as const)('reports that the platform %s, and stores nothing', async (_case, kind) => {
    const { id: accountId, key } = await makeAccount(world);
    const wire = await startWire({ now: () => START }, () =>
      kind === 'down' ? { status: 503, text: 'down' } : DROPPED,
    );
    if (kind === 'closed') await wire.close();

    const { status, body } = await world.rest('POST /connections', {
      key,
      body: { platformId: 'bluesky', credentials: { ...LOGIN, service: wire.url } },
    });

    if (kind !== 'closed') await wire.close();
    expect(status).toBe(503);
    expect(body).toEqual(refusal('platform_unavailable', expect.any(String) as unknown as string));
    expect(await countConnections(accountId)).toBe(0);
  });
});
