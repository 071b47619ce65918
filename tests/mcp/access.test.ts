/** Authentication on /mcp, and the headers of every answer. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../harness/world.ts';
import { callRaw, connect, legacy, MODERN } from './clients.ts';

const FOUR_HEADERS = ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

const PING = legacy('ping');

/** Of a length that the SDK itself does not read. */
const LONG_URI = `carillon://connections/${'x'.repeat(1_000_000)}`;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});

describe('the key', () => {
  const refused: [string, Record<string, string | undefined>][] = [
    ['missing', { 'x-api-key': undefined }],
    ['unknown', { 'x-api-key': `crl_live_${'u'.repeat(40)}` }],
    ['malformed', { 'x-api-key': 'hello' }],
    ['in another scheme', { 'x-api-key': undefined, authorization: `Basic crl_live_${'L'.repeat(40)}` }],
  ];

  it.each(refused)('%s: is 401 with a challenge, our body and none of the four headers', async (_name, headers) => {
    const answer = await callRaw(world, { headers, body: PING });

    expect(answer.status).toBe(401);
    const scopes = 'connections:read posts:read posts:write analytics:read profiles:read';
    const metadata = 'http://localhost:3000/.well-known/oauth-protected-resource/mcp';
    const wrong = headers['x-api-key'] === undefined ? '' : 'error="invalid_token", ';
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer ${wrong}scope="${scopes}", resource_metadata="${metadata}"`,
    );
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body).toEqual((await world.rest('GET /connections', { key: null })).body);
    for (const name of FOUR_HEADERS) expect(answer.headers).not.toHaveProperty(name);
  });

  it('is read from x-api-key and from Authorization; with both, x-api-key counts', async () => {
    const authorization = `Bearer ${world.liveKey}`;
    const unknown = `crl_live_${'u'.repeat(40)}`;
    const status = async (headers: Record<string, string | undefined>) =>
      (await callRaw(world, { headers, body: PING })).status;

    expect(await status({ 'x-api-key': undefined, authorization })).toBe(200);
    expect(await status({ authorization: `Bearer ${unknown}` })).toBe(200);
    expect(await status({ 'x-api-key': unknown, authorization })).toBe(401);
  });

  it('is not read from the query', async () => {
    const response = await fetch(`${world.url}/mcp?api_key=${world.liveKey}&access_token=${world.liveKey}`, {
      method: 'POST',
      body: PING,
    });

    expect(response.status).toBe(401);
  });

  it('stops working with its revocation', async () => {
    const key = await world.key();
    const client = await connect(world, 'modern', key.secret);
    await world.sql('update api_keys set revoked_at = now() where id = $1', [key.id]);

    await expect(client.callTool({ name: 'list_connections', arguments: {} })).rejects.toThrow(/401|unauthorized/i);
  });
});

describe('an answer', () => {
  it.each([
    ['a result', { body: PING }, 200],
    ['an unknown method', { body: legacy('obey') }, 200],
    ['a notification', { body: legacy('notifications/initialized', {}, null) }, 202],
    ['what is not JSON', { body: '{' }, 400],
    ['another Content-Type', { headers: { 'content-type': 'text/plain' }, body: PING }, 415],
    ['a body over 1 MiB', { body: `"${'x'.repeat(1_048_576)}"` }, 413],
    [
      'a body over 1 MiB of unknown length',
      { headers: { 'transfer-encoding': 'chunked' }, body: `"${'x'.repeat(1_048_576)}"` },
      413,
    ],
    ['GET', { method: 'GET' }, 405],
    ['DELETE', { method: 'DELETE' }, 405],
    ['PUT', { method: 'PUT', body: PING }, 405],
    ['HEAD', { method: 'HEAD' }, 405],
    ['TRACE', { method: 'TRACE' }, 405],
  ])('to %s has its status and the four headers', async (_name, request, status) => {
    const answer = await callRaw(world, request);

    expect(answer.status).toBe(status);
    for (const name of FOUR_HEADERS) expect(answer.headers).toHaveProperty(name);
    if (status === 405) expect(answer.headers.allow).toBe('POST');
  });

  it.each([
    ['reads', {}, legacy('resources/read', { uri: LONG_URI })],
    ['reads in a batch', {}, `[${PING},${legacy('resources/read', { uri: LONG_URI }, 2)}]`],
    [
      'subscribes',
      { 'mcp-protocol-version': MODERN, 'mcp-method': 'subscriptions/listen' },
      legacy('subscriptions/listen', { notifications: { resourceSubscriptions: [LONG_URI] } }),
    ],
  ])('to a client that %s names the limit of the length of an address', async (_what, headers, message) => {
    const { status, body } = await callRaw(world, { headers, body: message });

    expect([status, body]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        id: null,
        error: {
          code: -32_600,
          message: `The address of a resource has at most 2000 characters; this one has ${LONG_URI.length}.`,
        },
      },
    ]);
  });

  it.each(['GET', 'DELETE', 'PUT', 'TRACE'])('to %s says that it is no method of the endpoint', async (method) => {
    const { body } = await callRaw(world, { method });

    expect(body).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Method not allowed.' } });
  });

  it.each([
    ['before 2026-07-28', {}],
    ['of 2026-07-28', { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'create_post' }],
  ])(
    'to a body that is not UTF-8 is the one to what is not JSON, and nothing is published: %s',
    async (_era, headers) => {
      const text = legacy('tools/call', {
        name: 'create_post',
        arguments: { text: 'Grüße', connectionSlugs: [world.sandboxSlug] },
      });

      const answer = await callRaw(world, { headers, body: Buffer.from(text, 'latin1') });
      const noJson = await callRaw(world, { headers, body: '{' });

      expect([answer.status, answer.body]).toEqual([noJson.status, noJson.body]);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: expect.any(String) } });
      expect(await world.sql('select id from posts')).toEqual([]);
      expect((await callRaw(world, { body: PING })).status).toBe(200);
    },
  );

  it('accepts a body of just under 1 MiB', async () => {
    const text = 'x'.repeat(1_048_576 - 500);
    const answer = await callRaw(world, {
      body: legacy('tools/call', { name: 'create_post', arguments: { text, connectionSlugs: ['a'] } }),
    });

    expect(answer.body.result.content[0].text).toContain('text: expected at most 100000 characters');
  });
});

describe('the bucket', () => {
  it('is separate, and full after its limit: 429 before the protocol', async () => {
    await using small = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '3' } });
    for (const method of ['POST', 'GET', 'POST'])
      await callRaw(small, { method, ...(method === 'POST' ? { body: PING } : {}) });

    const full = await callRaw(small, { body: PING });

    expect(full.status).toBe(429);
    expect(full.text).toBe('{"error":"too many requests"}');
    expect(full.headers['x-ratelimit-remaining']).toBe('0');
    const wait = Number(full.headers['x-ratelimit-reset']) - Math.floor(small.clock.now().getTime() / 1000);
    expect(Number(full.headers['retry-after'])).toBe(wait);
    expect((await small.rest('GET /connections')).headers.get('x-ratelimit-remaining')).toBe('2');
    await small.advance(wait * 1000);
    expect((await callRaw(small, { body: PING })).status).toBe(200);
  });
});
