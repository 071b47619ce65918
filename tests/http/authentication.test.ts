/** Authentication: where a request sends its key, revocation, and what scoped and test keys may do. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../harness/accounts.ts';
import { accountWithSandbox, connectSandbox } from '../harness/connections.ts';
import { UNKNOWN_ID, refusal } from '../harness/expected.ts';
import { makePost } from '../harness/posts.ts';
import { type RestCall, startWorld } from '../harness/world.ts';

const world = await startWorld();

const UNAUTHORIZED = refusal('unauthorized', 'The API key is missing, unknown or revoked.');

/** Ids of the connections that the key can list, or the status if the request is refused. */
async function seen(headers: Record<string, string>): Promise<string[] | number> {
  const { status, body } = await world.rest('GET /connections', { key: null, headers });
  return status === 200 ? body.connections.map(({ id }: { id: string }) => id) : status;
}

describe('the key', () => {
  it('is read from x-api-key and from Authorization: Bearer, with any case of the scheme', async () => {
    const { key, connection } = await accountWithSandbox(world);

    const answers = [
      await seen({ 'x-api-key': key }),
      await seen({ 'X-API-Key': `  ${key}  ` }),
      await seen({ authorization: `Bearer ${key}` }),
      await seen({ authorization: `bearer   ${key}` }),
    ];

    expect(answers).toEqual([[connection.id], [connection.id], [connection.id], [connection.id]]);
  });

  it('is the one in x-api-key if both are sent', async () => {
    const [one, other] = [await accountWithSandbox(world), await accountWithSandbox(world)];

    const answers = [
      await seen({ 'x-api-key': one.key, authorization: `Bearer ${other.key}` }),
      await seen({ 'x-api-key': one.key, authorization: 'Bearer wrong' }),
      await seen({ 'x-api-key': 'wrong', authorization: `Bearer ${one.key}` }),
    ];

    expect(answers).toEqual([[one.connection.id], [one.connection.id], 401]);
  });

  it.each<[string, RestCall]>([
    ['no key', { key: null }],
    ['an empty key', { key: '' }],
    ['an unknown key of the right form', { key: `crl_live_${'x'.repeat(40)}` }],
    ['a key cut short', { key: world.liveKey.slice(0, -1) }],
    ['a key with something after it', { key: `${world.liveKey}0` }],
    ['a key in small letters', { key: world.liveKey.toLowerCase() }],
    ['a live key called a test key', { key: world.liveKey.replace('live', 'test') }],
    ['SQL instead of a key', { key: "' or true --" }],
    ['a bearer without a token', { key: null, headers: { authorization: 'Bearer' } }],
    ['two tokens', { key: null, headers: { authorization: `Bearer ${world.liveKey} ${world.liveKey}` } }],
    ['the key under another scheme', { key: null, headers: { authorization: `Basic ${world.liveKey}` } }],
    ['the key without a scheme', { key: null, headers: { authorization: world.liveKey } }],
    ['the key in a cookie', { key: null, headers: { cookie: `x-api-key=${world.liveKey}` } }],
  ])('refuses %s', async (_case, options) => {
    const { status, body } = await world.rest('GET /connections', options);

    expect(status).toBe(401);
    expect(body).toEqual(UNAUTHORIZED);
  });

  it('is not read from the query string', async () => {
    const { status } = await world.rest(`GET /connections?x-api-key=${world.liveKey}&api_key=${world.liveKey}`, {
      key: null,
    });

    expect(status).toBe(401);
  });

  it('is refused on the next request after revocation, on every API', async () => {
    const { id, secret } = await world.key();
    const trpc = () => fetch(`${world.url}/trpc/platforms.list?input=%7B%7D`, { headers: { 'x-api-key': secret } });
    const before = [(await world.rest('GET /platforms', { key: secret })).status, (await trpc()).status];
    await world.sql('update api_keys set revoked_at = $2 where id = $1', [id, world.clock.now()]);

    const { status, body } = await world.rest('GET /platforms', { key: secret });

    expect(before).toEqual([200, 200]);
    expect(status).toBe(401);
    expect(body).toEqual(UNAUTHORIZED);
    expect((await trpc()).status).toBe(401);
  });

  it('is stored only as a hash', async () => {
    const { id, secret } = await world.key();

    const [row] = await world.sql<Record<string, unknown>>('select * from api_keys where id = $1', [id]);

    expect(row).toMatchObject({ prefix: secret.slice(0, 14), secret_hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(JSON.stringify(row)).not.toContain(secret.slice(14));
  });

  it('records the time of its last use, at most once a minute', async () => {
    const { id, secret } = await world.key();
    const lastUsed = async () => {
      const [row] = await world.sql<{ last_used_at: string | null }>(
        'select last_used_at from api_keys where id = $1',
        [id],
      );
      return row?.last_used_at == null ? null : new Date(row.last_used_at).toISOString();
    };
    const used: (string | null)[] = [await lastUsed()];
    const first = world.clock.now().getTime();
    for (const ms of [0, 59_999, 1]) {
      world.clock.advance(ms);
      await world.rest('GET /platforms', { key: secret });
      used.push(await lastUsed());
    }

    const at = (ms: number) => new Date(first + ms).toISOString();
    expect(used).toEqual([null, at(0), at(0), at(60_000)]);
  });
});

describe('another account', () => {
  it('cannot see or change a connection, a post or an attempt', async () => {
    const owner = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key: owner.key });
    const stranger = await makeAccount(world);
    const calls = [
      `GET /connections/${owner.connection.id}`,
      `DELETE /connections/${owner.connection.id}`,
      `GET /posts/${postId}`,
      `DELETE /posts/${postId}`,
      `GET /posts/${postId}/attempts`,
    ] as const;
    const before = await world.rest(`GET /posts/${postId}`, { key: owner.key });

    const answers = await Promise.all(calls.map((call) => world.rest(call, { key: stranger.key })));

    expect(answers.map(({ status, body }) => [status, body.error])).toEqual(calls.map(() => [404, 'not_found']));
    expect((await world.rest('GET /connections', { key: stranger.key })).body).toEqual({
      connections: [],
      nextCursor: null,
    });
    expect((await world.rest('GET /posts', { key: stranger.key })).body).toEqual({
      posts: [],
      limit: 25,
      offset: 0,
      nextCursor: null,
    });
    expect((await world.rest(`GET /posts/${postId}`, { key: owner.key })).body).toEqual(before.body);
    expect((await world.rest('GET /connections', { key: owner.key })).body).toEqual({
      connections: [owner.connection],
      nextCursor: null,
    });
  });

  it('receives the same answer for the objects of others as for objects that do not exist', async () => {
    const owner = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key: owner.key });
    const stranger = await makeAccount(world);

    const foreign = await world.rest(`GET /posts/${postId}`, { key: stranger.key });
    const unknown = await world.rest(`GET /posts/${UNKNOWN_ID}`, { key: stranger.key });

    expect(foreign.status).toBe(unknown.status);
    expect(foreign.body).toEqual({ ...unknown.body, message: unknown.body.message.replace(UNKNOWN_ID, postId) });
  });
});

describe('a scoped key', () => {
  it('gets 403 for account operations, for any id, and 404 outside its profile', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);
    const profile = await world.profile('Acme', accountId);
    const inside = await connectSandbox(world, { key, profileId: profile.id });
    const outside = await connectSandbox(world, { key, slug: 'outside' });
    const { postId } = await makePost(world, 'outside', { key });
    const scoped = (await world.key({ accountId, profileId: profile.id })).secret;

    const statuses = await Promise.all(
      (
        [
          `DELETE /connections/${inside.id}`,
          `DELETE /connections/${UNKNOWN_ID}`,
          'DELETE /connections/malformed',
          'POST /connections',
          `GET /connections/${inside.id}`,
          `GET /connections/${outside.id}`,
          `GET /posts/${postId}`,
          `DELETE /posts/${postId}`,
          `GET /posts/${postId}/attempts`,
        ] as const
      ).map(async (call) => {
        const { status } = await world.rest(call, { key: scoped, ...(call.startsWith('POST') && { body: {} }) });
        return [call.replace(/[0-9a-f-]{36}/, '…'), status];
      }),
    );

    expect(statuses).toEqual([
      ['DELETE /connections/…', 403],
      ['DELETE /connections/…', 403],
      ['DELETE /connections/malformed', 403],
      ['POST /connections', 403],
      ['GET /connections/…', 200],
      ['GET /connections/…', 404],
      ['GET /posts/…', 404],
      ['DELETE /posts/…', 404],
      ['GET /posts/…/attempts', 404],
    ]);
  });

  it('can still read a post of its profile after the connection was deleted', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    const connection = await connectSandbox(world, { key, profileId: profile.id });
    const { postId } = await makePost(world, 'sandbox', { key });
    await world.rest(`DELETE /connections/${connection.id}`, { key });
    const scoped = await world.key({ accountId, profileId: profile.id });

    const { status, body } = await world.rest(`GET /posts/${postId}`, { key: scoped.secret });

    expect(status).toBe(200);
    expect(body.post).toMatchObject({ id: postId, status: 'sent' });
  });
});
