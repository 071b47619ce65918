/** What an access token permits: /mcp, within the granted scopes, while the grant exists; and nothing else. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../routers/operations.ts';
import { createConnectSession } from '../../services/connect/create-connect-session.ts';
import { startWorld, type World } from '../harness/world.ts';
import { callRaw, legacy, MODERN } from '../mcp/clients.ts';
import {
  callMcp,
  callTool,
  claimsOf,
  METADATA_URL,
  type Person,
  refresh,
  signIn,
  type Tokens,
  tokensFor,
} from './agents.ts';

let world: World;
let person: Person;
let tokens: Tokens;
beforeAll(async () => {
  world = await startWorld();
  person = await signIn(world);
  tokens = await tokensFor(world, person);
});

/** Every tool with the scope that its operation declares, and a path that lists it. */
const scoped = operations.flatMap(({ meta: { tool, scope } }): [string, string, string][] =>
  'none' in tool || scope === null ? [] : [[tool.name, scope, `/mcp/x/${tool.toolset}`]],
);

const call = (name: string, input = {}, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

describe('a token', () => {
  it('is refused by REST and by tRPC', async () => {
    const headers = { authorization: `Bearer ${tokens.access}` };

    expect((await world.rest('GET /connections', { key: null, headers })).status).toBe(401);
    expect((await world.rest('GET /connections', { key: tokens.access })).status).toBe(401);
    expect((await fetch(`${world.url}/trpc/connections.list`, { headers })).status).toBe(401);
  });

  it('is not read from the query, nor from x-api-key', async () => {
    const answers = await Promise.all([
      fetch(`${world.url}/mcp?access_token=${tokens.access}`, { method: 'POST', body: '{}' }),
      fetch(`${world.url}/mcp`, { method: 'POST', body: '{}', headers: { 'x-api-key': tokens.access } }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  });

  it('is ignored beside a key in x-api-key', async () => {
    const headers = { 'x-api-key': `crl_live_${'u'.repeat(40)}`, authorization: `Bearer ${tokens.access}` };

    expect((await fetch(`${world.url}/mcp`, { method: 'POST', body: '{}', headers })).status).toBe(401);
  });

  it('shows all tools, so that a client knows which scopes to request', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const names = ({ body }: { body: { result: { tools: { name: string }[] } } }) =>
      body.result.tools.map((t) => t.name);

    expect(names(await callMcp(world, tokens.access, list))).toEqual(names(await callMcp(world, world.liveKey, list)));
  });

  it('counts in the bucket of its grant', async () => {
    const slow = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '3' } });
    const owner = await signIn(slow);
    const [one, other] = [await tokensFor(slow, owner), await tokensFor(slow, owner)];
    const statuses = [];
    for (let calls = 0; calls < 4; calls += 1) statuses.push((await callTool(slow, one.access, 'list_posts')).status);

    expect(statuses).toEqual([200, 200, 200, 429]);
    const { status, headers } = await callTool(slow, other.access, 'list_posts');
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, '2']);
    await slow.close();
  });
});

describe('a call beyond the granted scopes', () => {
  const lacking = `Bearer error="insufficient_scope", scope="posts:write", resource_metadata="${METADATA_URL}"`;

  it('names the scope it needs, and publishes nothing', async () => {
    const input = { text: 'Ding', connectionSlugs: [world.sandboxSlug] };
    const { status, headers, body } = await callTool(world, tokens.access, 'create_post', input);

    expect([status, headers.get('www-authenticate')]).toEqual([403, lacking]);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32_000,
        message: 'This key or access token lacks posts:write. Use one that has it, or ask the owner to grant it.',
      },
    });
    expect((await world.rest('GET /posts')).body.posts).toEqual([]);
  });

  it.each(scoped)('is reported by %s, which needs %s, at %s', async (name, scope, path) => {
    const other = await tokensFor(world, person, { scope: scope === 'posts:read' ? 'keys:read' : 'posts:read' });
    const { status, headers } = await callMcp(world, other.access, call(name), path);

    expect([status, headers.get('www-authenticate')]).toEqual([403, lacking.replace('posts:write', scope)]);
  });

  it.each([
    ['carillon://connections', 'connections:read'],
    ['carillon://connections/sandbox', 'connections:read'],
    ['carillon://approvals', 'posts:read'],
    ['CARILLON://platforms', 'connections:read'],
    ['carillon://posts/01a1fdfa-4600-7051-a4e5-000000000000', 'posts:read'],
  ])('is reported by the resource %s, which needs %s', async (uri, scope) => {
    const other = await tokensFor(world, person, { scope: 'keys:read' });
    const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } };
    const { status, headers } = await callMcp(world, other.access, read);

    expect([status, headers.get('www-authenticate')]).toEqual([403, lacking.replace('posts:write', scope)]);
  });

  it.each([
    ['a tool', 'tools/call', { name: { toString: 1 } }],
    ['a tool in a list', 'tools/call', { name: ['create_post'] }],
    ['a resource', 'resources/read', { uri: { toString: 1 } }],
  ])(
    'is not one of %s that is named by no text, which is the same mistake as with a key',
    async (_what, method, params) => {
      const message = { jsonrpc: '2.0', id: 1, method, params };

      const withToken = await callMcp(world, tokens.access, message);

      const withKey = await callMcp(world, world.liveKey, message);
      expect([withToken.status, withToken.body]).toEqual([withKey.status, withKey.body]);
      expect(withToken.body.error.message).toMatch(/expected string/);
    },
  );

  it.each([
    [{ type: 'ref/prompt', name: 'draft_post' }, 'connectionSlug'],
    [{ type: 'ref/resource', uri: 'carillon://posts/{postId}' }, 'postId'],
    [{ type: 'ref/resource', uri: 'carillon://connections/{slug}' }, 'slug'],
  ])('completes nothing: %j', async (ref, name) => {
    await world.rest('POST /posts', { body: { text: 'Dong', connectionSlugs: [world.sandboxSlug] } });
    const complete = (token: string) =>
      callMcp(world, token, {
        jsonrpc: '2.0',
        id: 1,
        method: 'completion/complete',
        params: { ref, argument: { name, value: '' } },
      });
    const other = await tokensFor(world, person, { scope: 'keys:read' });

    expect((await complete(other.access)).body.result.completion.values).toEqual([]);
    expect((await complete(tokens.access)).body.result.completion.values).not.toEqual([]);
  });

  it('stops the batch it is in', async () => {
    const batch = [call('list_posts'), call('create_post', {}, 2), call('get_analytics', {}, 3)];
    const { status, headers } = await callMcp(world, tokens.access, batch);

    expect([status, headers.get('www-authenticate')]).toEqual([
      403,
      lacking.replace('posts:write', 'posts:write analytics:read'),
    ]);
  });

  it('loses nothing when its client asks for exactly what the challenge names, as those of 2025-11-25 do', async () => {
    const { headers } = await fetch(`${world.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${tokens.access}`,
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'create_post', arguments: {} },
      }),
    });
    const scope = /scope="([^"]*)"/.exec(headers.get('www-authenticate') ?? '')?.[1] ?? '';

    const next = await tokensFor(world, person, { scope, clientId: tokens.clientId });

    const input = { text: 'Ding', connectionSlugs: [world.sandboxSlug] };
    const calls = [
      await callTool(world, next.access, 'create_post', input),
      await callTool(world, next.access, 'list_posts'),
      await callTool(world, next.access, 'list_connections'),
    ];
    expect(calls.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('succeeds once the person has granted that scope too', async () => {
    const more = await tokensFor(world, person, { scope: 'posts:read posts:write connections:read' });
    const input = { text: 'Ding', connectionSlugs: [world.sandboxSlug] };
    const { status, body } = await callTool(world, more.access, 'create_post', input);

    expect([status, body.result.structuredContent.results[0].status]).toEqual([200, 'sent']);
  });
});

describe('a token that was limited', () => {
  it('to a profile reaches nothing outside of it', async () => {
    const { id } = await world.profile('Bells');
    const narrow = await tokensFor(world, person, { reach: id });
    const { body } = await callTool(world, narrow.access, 'list_connections');

    expect(body.result.structuredContent.connections).toEqual([]);
  });

  it('to a profile becomes invalid with the profile', async () => {
    const { id } = await world.profile('Soon gone');
    const narrow = await tokensFor(world, person, { reach: id });
    await world.rest(`DELETE /profiles/${id}`);

    expect((await callTool(world, narrow.access, 'list_connections')).status).toBe(401);
    // A client that could still refresh would retry without end, and never ask its user.
    const { status, body } = await refresh(world, narrow.clientId, narrow.refresh);
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  });

  it('to a profile is not revoked by a key of test mode', async () => {
    const { id } = await world.profile('Kept');
    const narrow = await tokensFor(world, person, { reach: id });
    const { status, body } = await world.rest(`DELETE /profiles/${id}`, { key: world.testKey });

    expect([status, body.message]).toEqual([403, expect.stringContaining('live keys: 0, agents: 1')]);
    expect((await callTool(world, narrow.access, 'list_connections')).status).toBe(200);
  });

  it('to test mode makes test posts', async () => {
    const test = await tokensFor(world, person, { scope: 'posts:write', reach: 'test' });
    const input = { text: 'Ding', connectionSlugs: [world.sandboxSlug] };
    await callTool(world, test.access, 'create_post', input);

    expect((await world.sql(`select mode from posts where text = 'Ding' and mode = 'test'`)).length).toBe(1);
  });
});

it('a confirmation given to one grant counts for no other, and for no key', async () => {
  const scope = 'posts:read posts:write';
  const [one, other] = [await tokensFor(world, person, { scope }), await tokensFor(world, person, { scope })];
  const body = { text: 'Dong', connectionSlugs: [world.sandboxSlug] };
  const { postId } = (await world.rest('POST /posts', { body })).body.results[0];
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const callDelete = (token: string, more: object = {}) =>
    callRaw(world, {
      headers: {
        'x-api-key': undefined,
        authorization: `Bearer ${token}`,
        'mcp-protocol-version': MODERN,
        'mcp-method': 'tools/call',
        'mcp-name': 'delete_post',
      },
      body: legacy('tools/call', { name: 'delete_post', arguments: { postId }, _meta: meta, ...more }),
    });
  const { requestState } = (await callDelete(one.access)).body.result;
  const yes = { requestState, inputResponses: { confirm: { action: 'accept', content: { yes: true } } } };

  expect((await callDelete(other.access, yes)).body.error).toMatchObject({ code: -32_602 });
  expect((await callDelete(world.liveKey, yes)).body.error).toMatchObject({ code: -32_602 });
  expect((await world.rest(`GET /posts/${postId}`)).body.post.status).toBe('sent');
  expect((await callDelete(one.access, yes)).body.result.structuredContent).toMatchObject({ status: 'deleted' });
});

it('a grant creates connect links as a key does', async () => {
  const { id: profileId } = await world.profile('Linked');
  const [{ id } = { id: '' }] = await world.sql<{ id: string }>('select id from oauth_grants limit 1');
  const actor = { kind: 'oauth_client', id: 'agent', name: 'Agent' } as const;
  const { accountId } = person;
  const caller = {
    accountId,
    keyId: id,
    profileId: null,
    mode: 'live',
    scopes: null,
    approval: 'none',
    policyId: null,
    actor,
  } as const;
  const wanted = { profileId, redirectUrl: 'https://app.example/done', headless: false };

  const { connectSessionId } = await createConnectSession(world.context, caller, wanted);
  const { body } = await world.rest(`GET /connect-sessions/${connectSessionId}`);
  expect(body.connectSession?.status ?? body.status).toBe('pending');
});

describe('a forged token', () => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

  function signed(header: object, claims: object, key: KeyObject): string {
    const content = `${encoded(header)}.${encoded(claims)}`;
    return `${content}.${sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  }

  async function ours(): Promise<{ key: KeyObject; kid: string; jwk: object }> {
    const [{ id, jwk } = { id: '', jwk: '' }] = await world.sql<{ id: string; jwk: string }>(
      'select * from oauth_keys',
    );
    const opened = world.context.vault.open(jwk, id) as Record<string, string>;
    const { createPrivateKey } = await import('node:crypto');
    return { key: createPrivateKey({ key: opened, format: 'jwk' }), kid: id, jwk: opened };
  }

  const statusOf = async (token: string) => (await callTool(world, token, 'list_connections')).status;

  it('that differs from ours in only one claim is refused', async () => {
    const { key, kid } = await ours();
    const [header, good] = [{ alg: 'ES256', typ: 'at+jwt', kid }, claimsOf(tokens.access)];
    const now = Math.floor(world.clock.now().getTime() / 1_000);
    expect(await statusOf(signed(header, good, key))).toBe(200);

    const wrong: Record<string, string> = {
      'of another issuer': signed(header, { ...good, iss: 'https://other.example' }, key),
      'for the REST API': signed(header, { ...good, aud: 'http://localhost:3000/api/v2' }, key),
      'for the install as a whole': signed(header, { ...good, aud: 'http://localhost:3000' }, key),
      'that is over': signed(header, { ...good, exp: now - 5 }, key),
      'without an end': signed(header, { ...good, exp: undefined }, key),
      'from the future': signed(header, { ...good, nbf: now + 60 }, key),
      'without a client': signed(header, { ...good, client_id: undefined }, key),
      'of another client': signed(header, { ...good, client_id: 'another' }, key),
      'without an id': signed(header, { ...good, jti: undefined }, key),
      'without a grant': signed(header, { ...good, gid: undefined }, key),
      'of no grant': signed(header, { ...good, gid: world.context.random.uuid() }, key),
      'of a grant that is no id': signed(header, { ...good, gid: "'; drop table oauth_grants" }, key),
      'that is an ID token': signed({ ...header, typ: 'JWT' }, good, key),
      'that is bound to a key': signed(header, { ...good, cnf: { jkt: 'x'.repeat(43) } }, key),
      'with a header that must be understood': signed({ ...header, crit: ['b64'], b64: true }, good, key),
      'of an unknown key': signed({ ...header, kid: 'other' }, good, foreign),
      'of another key under our name': signed(header, good, foreign),
      'without a name of its key': signed({ alg: 'ES256', typ: 'at+jwt' }, good, key),
    };
    const statuses: Record<string, number> = {};
    for (const [name, token] of Object.entries(wrong)) statuses[name] = await statusOf(token);

    expect(statuses).toEqual(Object.fromEntries(Object.keys(wrong).map((name) => [name, 401])));
  });

  it.each([
    ['cut off', (token: string) => token.slice(0, -1)],
    ['longer', (token: string) => `${token}AAA`],
    ['no base64url', (token: string) => token.replace(/[^.]+$/, '!'.repeat(86))],
    ['one character', (token: string) => token.replace(/[^.]+$/, '!')],
    ['empty', (token: string) => token.replace(/[^.]+$/, '')],
  ])('whose signature is %s is refused as an unknown key is', async (_how, malform) => {
    const unknown = await callTool(world, 'unknown', 'list_connections');

    const { status, headers, body } = await callTool(world, malform(tokens.access), 'list_connections');

    expect([status, headers.get('www-authenticate'), body]).toEqual([
      401,
      expect.stringMatching(/^Bearer error="invalid_token", /),
      unknown.body,
    ]);
  });

  it('without a signature, or with our public key as the secret of one, is refused', async () => {
    const { kid, jwk } = await ours();
    const claims = encoded(claimsOf(tokens.access));
    const none = `${encoded({ alg: 'none', typ: 'at+jwt', kid })}.${claims}.`;
    const content = `${encoded({ alg: 'HS256', typ: 'at+jwt', kid })}.${claims}`;
    const { d: _private, ...publicPart } = jwk as Record<string, string>;
    const confused = `${content}.${createHmac('sha256', JSON.stringify(publicPart)).update(content).digest('base64url')}`;

    expect([await statusOf(none), await statusOf(confused)]).toEqual([401, 401]);
    for (const junk of ['x', 'a.b.c', '..', `${tokens.access}x`, 'e30.e30.e30', 'x'.repeat(5_000)])
      expect(await statusOf(junk)).toBe(401);
  });
});
