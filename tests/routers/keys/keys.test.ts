/** Keys of profiles and of the account: creating, listing and revoking them, and the limits of test keys. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../services/keys/authenticate.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { TEST_DATABASE_URL } from '../../harness/database.ts';
import { UNKNOWN_ID, refusal, UUID } from '../../harness/expected.ts';
import { startPeer } from '../../harness/peer.ts';
import { createProfile } from '../../harness/profiles.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** An account with a profile, and an unscoped test key. */
async function tenant() {
  const account = await makeAccount(world);
  const profile = await createProfile(world, account.key);
  const testKey = (await world.key({ accountId: account.id, type: 'test' })).secret;
  return { ...account, profile, testKey, keysPath: `/profiles/${profile.id}/keys` as const };
}

const mint = (path: string, key: string, fields: object = {}) =>
  world.rest(`POST ${path}` as 'POST /', { key, body: { name: 'Customer', type: 'live', ...fields } });

const list = async (path: string, key: string) => (await world.rest(`GET ${path}` as 'GET /', { key })).body.keys;

const noKey = (id: string, whose = 'No key of yours') => refusal('not_found', `${whose} has the id ${id}.`);

describe('POST 201', () => {
  it('creates a key of the profile, returns the secret only here and stores only its hash', async () => {
    const { key, profile, keysPath } = await tenant();
    const createdAt = world.clock.now().toISOString();

    const { status, body } = await mint(keysPath, key, { name: ' Customer ' });

    expect(status).toBe(201);
    expect(body).toEqual({
      key: {
        id: UUID,
        name: 'Customer',
        type: 'live',
        prefix: body.secret.slice(0, 14),
        profileId: profile.id,
        redirectAllowlist: null,
        scopes: null,
        approval: 'none',
        policyId: null,
        createdBy: { kind: 'key', id: UUID },
        createdAt,
        lastUsedAt: null,
        expiresAt: null,
        revokedAt: null,
      },
      secret: expect.stringMatching(/^crl_live_[A-Za-z0-9]{40}$/),
    });
    expect(await list(keysPath, key)).toEqual([body.key]);
    const [row] = await world.sql('select secret_hash from api_keys where id = $1', [body.key.id]);
    expect(row).toEqual({ secret_hash: createHash('sha256').update(body.secret).digest('hex') });
  });

  it('returns a secret that works at once, within the profile, and marks the key as used', async () => {
    const { key, profile, keysPath } = await tenant();
    const { body } = await mint(keysPath, key, { type: 'test' });

    const own = await world.rest(`GET /profiles/${profile.id}`, { key: body.secret });
    const capability = await world.rest('GET /profiles', { key: body.secret });

    expect([own.status, capability.status]).toEqual([200, 403]);
    const lastUsedAt = world.clock.now().toISOString();
    expect(await list(keysPath, key)).toEqual([{ ...body.key, lastUsedAt }]);
  });

  it('normalizes and deduplicates origins, and stores an empty list as null', async () => {
    const { key, keysPath } = await tenant();

    const some = await mint(keysPath, key, {
      redirectAllowlist: [
        'https://App.Example.com:443',
        'https://app.example.com/',
        'https://app.example.com:8443',
        'http://localhost:3000',
        'http://127.0.0.1:80',
        'https://bücher.example',
      ],
    });
    const none = await mint(keysPath, key, { redirectAllowlist: [] });

    expect(some.body.key.redirectAllowlist).toEqual([
      'https://app.example.com',
      'https://app.example.com:8443',
      'http://localhost:3000',
      'http://127.0.0.1',
      'https://xn--bcher-kva.example',
    ]);
    expect(none.body.key.redirectAllowlist).toBeNull();
    expect(await list(keysPath, key)).toEqual([some.body.key, none.body.key]);
  });
});

describe('POST 400 invalid_request', () => {
  const origin = 'expected a bare origin such as https://app.example.com, or http on localhost.';
  const origins = (count: number) => Array.from({ length: count }, (_, index) => `https://app${index}.example.com`);

  it.each<[string, object, string]>([
    ['no type', { type: undefined }, 'type: expected one of live, test.'],
    ['another type', { type: 'prod' }, 'type: expected one of live, test.'],
    ['no name', { name: undefined }, 'name: expected a string.'],
    ['a blank name', { name: ' ' }, 'name: expected at least 1 character.'],
    ['a name of 81 characters', { name: 'n'.repeat(81) }, 'name: expected at most 80 characters.'],
    ['21 origins', { redirectAllowlist: origins(21) }, 'redirectAllowlist: expected at most 20 items.'],
    ['null for the origins', { redirectAllowlist: null }, 'redirectAllowlist: expected an array.'],
    ['an unknown field', { scope: 'posts:read' }, 'body: expected no field called "scope".'],
    ...[
      'https://app.example.com/path',
      'https://app.example.com?',
      'https://app.example.com#',
      'https://user@app.example.com',
      'https://*.example.com',
      'http://app.example.com',
      'ftp://app.example.com',
      'app.example.com',
      ' https://app.example.com',
      'https://',
      'https://app.example.com:99999',
      '*',
    ].map((entry): [string, object, string] => [
      `the origin ${entry}`,
      { redirectAllowlist: ['https://fine.example.com', entry] },
      `redirectAllowlist.1: ${origin}`,
    ]),
  ])('refuses %s', async (_case, fields, message) => {
    const { key, keysPath } = await tenant();

    const { status, body } = await mint(keysPath, key, fields);

    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', message]);
    expect(await list(keysPath, key)).toEqual([]);
  });

  it('accepts 20 origins', async () => {
    const { key, keysPath } = await tenant();

    const { body } = await mint(keysPath, key, { redirectAllowlist: origins(20) });

    expect(body.key.redirectAllowlist).toEqual(origins(20));
  });
});

describe('a test key', () => {
  it('creates test keys, but no live key', async () => {
    const { testKey, keysPath } = await tenant();

    const test = await mint(keysPath, testKey, { type: 'test' });
    const live = await mint(keysPath, testKey, { type: 'live' });

    expect([test.status, test.body.key.type]).toEqual([201, 'test']);
    const message = 'type: a test key mints test keys only, not live; use a live key.';
    expect([live.status, live.body]).toEqual([403, refusal('forbidden', message)]);
  });

  it('lists only test keys, on both lists', async () => {
    const { key, testKey, keysPath } = await tenant();
    await mint(keysPath, key, { type: 'live' });
    const test = (await mint(keysPath, key, { type: 'test' })).body.key;

    expect(await list(keysPath, testKey)).toEqual([test]);
    const all = await list('/keys', testKey);
    expect(all.map(({ type }: { type: string }) => type)).toEqual(['test', 'test']);
    expect(all[1]).toEqual(test);
  });

  it('revokes only test keys: a live key is not found', async () => {
    const { key, testKey, profile, keysPath } = await tenant();
    const live = (await mint(keysPath, key, { type: 'live' })).body;
    const test = (await mint(keysPath, key, { type: 'test' })).body;

    const refused = [
      await world.rest(`DELETE ${keysPath}/${live.key.id}`, { key: testKey }),
      await world.rest(`DELETE /keys/${live.key.id}`, { key: testKey }),
    ];
    const revoked = await world.rest(`DELETE ${keysPath}/${test.key.id}`, { key: testKey });

    expect(refused.map(({ status, body }) => [status, body])).toEqual([
      [404, noKey(live.key.id, `No key of the profile ${profile.id}`)],
      [404, noKey(live.key.id)],
    ]);
    expect(revoked.body).toEqual({ id: test.key.id, revoked: true });
    expect((await world.rest('GET /connections', { key: live.secret })).status).toBe(200);
  });
});

describe('GET by cursor', () => {
  it('lists every key of a profile, and of the account, once', async () => {
    const { key, keysPath } = await tenant();
    for (const name of ['One', 'Two', 'Three']) await mint(keysPath, key, { name });
    const through = async (path: string) => {
      const names: string[] = [];
      let cursor: string | null = null;
      do {
        const search: string = cursor === null ? '' : `&cursor=${cursor}`;
        const { body } = await world.rest(`GET ${path}?limit=1${search}` as 'GET /', { key });
        names.push(...body.keys.map(({ name }: { name: string }) => name));
        cursor = body.nextCursor;
      } while (cursor !== null);
      return names;
    };

    expect(await through(keysPath)).toEqual(['One', 'Two', 'Three']);
    expect((await through('/keys')).slice(-3)).toEqual(['One', 'Two', 'Three']);
  });
});

describe('GET 200', () => {
  it('lists the keys of one profile, oldest first, in pages, and revoked ones on request', async () => {
    const { key, keysPath } = await tenant();
    const made = [];
    for (const name of ['One', 'Two', 'Three']) made.push((await mint(keysPath, key, { name })).body.key);
    await world.rest(`DELETE ${keysPath}/${made[0].id}`, { key });
    const revoked = { ...made[0], revokedAt: world.clock.now().toISOString() };

    const get = async (search: string) => (await world.rest(`GET ${keysPath}${search}` as 'GET /', { key })).body;

    expect(await get('')).toEqual({ keys: [made[1], made[2]], limit: 25, offset: 0, nextCursor: null });
    expect(await get('?includeRevoked=false')).toEqual({
      keys: [made[1], made[2]],
      limit: 25,
      offset: 0,
      nextCursor: null,
    });
    expect(await get('?includeRevoked=true')).toEqual({
      keys: [revoked, made[1], made[2]],
      limit: 25,
      offset: 0,
      nextCursor: null,
    });
    expect(await get('?includeRevoked=true&limit=1&offset=1')).toEqual({
      keys: [made[1]],
      limit: 1,
      offset: 1,
      nextCursor: made[1].id,
    });
  });

  it('lists every key of the account on /keys, including those without a profile', async () => {
    const { id: accountId, key, keysPath, profile } = await tenant();
    const minted = (await mint(keysPath, key)).body.key;
    const other = await tenant();
    await mint(other.keysPath, other.key);

    const keys = await list('/keys', key);

    expect(keys.map(({ profileId, type }: { profileId: string; type: string }) => [profileId, type])).toEqual([
      [null, 'live'],
      [null, 'test'],
      [profile.id, 'live'],
    ]);
    expect(keys[2]).toEqual(minted);
    const stored = await world.sql<{ id: string }>('select id from api_keys where account_id = $1', [accountId]);
    expect(stored).toHaveLength(3);
  });
});

describe('GET 400 invalid_request', () => {
  it.each([
    ['includeRevoked=yes', 'includeRevoked: expected a boolean.'],
    ['limit=101', 'limit: expected at most 100.'],
    ['offset=-1', 'offset: expected at least 0.'],
  ])('refuses %s on both lists', async (search, message) => {
    const { key, keysPath } = await tenant();

    for (const path of ['/keys', keysPath]) {
      const { status, body } = await world.rest(`GET ${path}?${search}` as 'GET /', { key });
      expect([status, body.error, body.message]).toEqual([400, 'invalid_request', message]);
    }
  });
});

describe('DELETE 200', () => {
  it('rejects the next request of the key, and keeps the first revokedAt when repeated', async () => {
    const { key, keysPath } = await tenant();
    const { body } = await mint(keysPath, key);
    const before = await world.rest('GET /connections', { key: body.secret });
    const revokedAt = world.clock.now().toISOString();

    const first = await world.rest(`DELETE ${keysPath}/${body.key.id}`, { key });
    const after = await world.rest('GET /connections', { key: body.secret });
    world.clock.advance(60_000);
    const again = await world.rest(`DELETE ${keysPath}/${body.key.id}`, { key });
    const byAccount = await world.rest(`DELETE /keys/${body.key.id}`, { key });

    expect([before.status, after.status]).toEqual([200, 401]);
    for (const answer of [first, again, byAccount]) {
      expect([answer.status, answer.body]).toEqual([200, { id: body.key.id, revoked: true }]);
    }
    expect(await list(`${keysPath}?includeRevoked=true`, key)).toMatchObject([{ id: body.key.id, revokedAt }]);
  });

  it.runIf(TEST_DATABASE_URL)('also revokes the key in another process that has cached it as valid', async () => {
    const { key, keysPath } = await tenant();
    const { body } = await mint(keysPath, key);
    const peer = await startPeer(world);
    const before = await authenticate(peer, body.secret);

    await world.rest(`DELETE ${keysPath}/${body.key.id}`, { key });

    expect(before?.caller.keyId).toBe(body.key.id);
    expect(await authenticate(peer, body.secret)).toBeNull();
  });

  it('keeps one revokedAt for concurrent revocations', async () => {
    const { key, keysPath } = await tenant();
    const { body } = await mint(keysPath, key);

    const answers = await Promise.all([1, 2, 3].map(() => world.rest(`DELETE ${keysPath}/${body.key.id}`, { key })));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('lets an unscoped key revoke itself', async () => {
    const { id: accountId, key } = await tenant();
    const spare = await world.key({ accountId });

    const revoked = await world.rest(`DELETE /keys/${spare.id}`, { key: spare.secret });

    expect(revoked.body).toEqual({ id: spare.id, revoked: true });
    expect((await world.rest('GET /keys', { key: spare.secret })).status).toBe(401);
    expect((await world.rest('GET /keys', { key })).status).toBe(200);
  });
});

describe('403 forbidden', () => {
  it('is the answer to a scoped key for all key operations, including its profile', async () => {
    const { key, keysPath } = await tenant();
    const { body: own } = await mint(keysPath, key);

    const answers = [
      await mint(keysPath, own.secret, { type: 'test' }),
      await world.rest(`GET ${keysPath}`, { key: own.secret }),
      await world.rest(`DELETE ${keysPath}/${own.key.id}`, { key: own.secret }),
      await world.rest('GET /keys', { key: own.secret }),
      await world.rest(`DELETE /keys/${own.key.id}`, { key: own.secret }),
    ];

    const message =
      'This key or access token is limited to one profile; this operation needs one that reaches the whole account.';
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [403, refusal('forbidden', message)]),
    );
    expect(await list(keysPath, key)).toHaveLength(1);
  });
});

describe('404 not_found', () => {
  it('has the same body for an unknown profile, another account’s and a deleted one', async () => {
    const { key } = await tenant();
    const foreign = await tenant();
    const deleted = await createProfile(world, key);
    await world.rest(`DELETE /profiles/${deleted.id}`, { key });

    for (const id of [UNKNOWN_ID, foreign.profile.id, deleted.id]) {
      const path = `/profiles/${id}/keys` as const;
      const answers = [
        await mint(path, key),
        await world.rest(`GET ${path}`, { key }),
        await world.rest(`DELETE ${path}/${UNKNOWN_ID}`, { key }),
      ];
      const body = refusal('not_found', `No profile of yours has the id ${id}.`);
      expect(answers.map((answer) => [answer.status, answer.body])).toEqual(answers.map(() => [404, body]));
    }
    expect(await list(foreign.keysPath, foreign.key)).toEqual([]);
  });

  it('covers an unknown key, another account’s key and, on a profile’s path, another profile’s key', async () => {
    const { id: accountId, key, profile, keysPath } = await tenant();
    const foreign = await world.key({ accountId: (await makeAccount(world)).id });
    const sibling = await createProfile(world, key);
    const siblings = await world.key({ accountId, profileId: sibling.id });

    for (const id of [UNKNOWN_ID, foreign.id, siblings.id]) {
      const { status, body } = await world.rest(`DELETE ${keysPath}/${id}`, { key });
      expect([status, body]).toEqual([404, noKey(id, `No key of the profile ${profile.id}`)]);
    }
    for (const id of [UNKNOWN_ID, foreign.id]) {
      const { status, body } = await world.rest(`DELETE /keys/${id}`, { key });
      expect([status, body]).toEqual([404, noKey(id)]);
    }
    expect((await world.rest('GET /connections', { key: siblings.secret })).status).toBe(200);
    expect((await world.rest('GET /connections', { key: foreign.secret })).status).toBe(200);
  });
});
