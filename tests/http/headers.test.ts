/** Response headers: the request id, the three rate limit headers where they apply, and security headers everywhere. */
import { describe, expect, it } from 'vitest';
import { makePost } from '../harness/posts.ts';
import { UNKNOWN_ID, UUID } from '../harness/expected.ts';
import { beforeTransactions } from '../harness/interleave.ts';
import { serveApp } from '../harness/serve-app.ts';
import { type RestCall, startWorld } from '../harness/world.ts';

const world = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '60' } });
const { id: scopeId } = await world.profile();
const scoped = (await world.key({ profileId: scopeId })).secret;
const full = (await world.key()).secret;
for (let count = 0; count < 60; count += 1) await world.rest('GET /platforms', { key: full });

const ID = ['x-request-id'];
const ALL = ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

function carried(headers: Headers): string[] {
  return ALL.filter((name) => headers.has(name));
}

describe('the four headers', () => {
  it.each<[number, string, `${string} /${string}`, RestCall, string[]]>([
    [200, 'a good request', 'GET /posts', {}, ALL],
    [200, 'a HEAD request', 'HEAD /posts', {}, ALL],
    [400, 'a failed validation', 'GET /posts?limit=ten', {}, ALL],
    [400, 'a refused body', 'POST /posts', { body: {} }, ALL],
    [403, 'a missing capability', 'POST /connections', { key: scoped, body: {} }, ALL],
    [404, 'an object that is not there', `GET /posts/${UNKNOWN_ID}`, {}, ALL],
    [422, 'a platform’s refusal', 'POST /post/sandbox', { raw: '[[reject]]' }, ALL],
    [429, 'a full window', 'GET /platforms', { key: full }, ALL],
    [503, 'a platform’s outage', 'POST /post/sandbox', { raw: '[[unavailable]]' }, ALL],
    [404, 'an unknown path', 'GET /nothing', {}, ID],
    [405, 'a wrong method', 'PATCH /posts', { body: {} }, ID],
    [415, 'a wrong Content-Type', 'POST /post/sandbox', { raw: 'x', headers: { 'content-type': 'text/html' } }, ID],
    [400, 'a body that is not JSON', 'POST /posts', { raw: '{' }, ID],
    [413, 'a body that is too large', 'POST /posts', { raw: ' '.repeat(1_048_577) }, ID],
    [404, 'an operation that is not counted', 'GET /simulation/clock', {}, ID],
    [401, 'no key', 'GET /posts', { key: null }, []],
    [401, 'a wrong key', 'GET /posts', { key: 'wrong' }, []],
    [401, 'a wrong key on an unknown path', 'GET /nothing', { key: 'wrong' }, []],
    [200, 'a public endpoint', 'GET /health', { key: null }, []],
    [200, 'a public endpoint called with a key', 'GET /health', {}, []],
    [200, 'the document', 'GET /openapi.json', {}, []],
    [204, 'a preflight', 'OPTIONS /posts', { key: null }, []],
    [204, 'a preflight with a key', 'OPTIONS /posts', {}, []],
  ])('%i, %s: %s has the correct ones', async (expected, _case, call, options, names) => {
    const { status, headers } = await world.rest(call, options);

    expect(status).toBe(expected);
    expect(carried(headers)).toEqual(names);
  });

  it('are absent on a public endpoint that is over its limit', async () => {
    await using other = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '1' } });
    await other.rest('GET /health', { key: null });

    const { status, headers } = await other.rest('GET /health', { key: null });

    expect(status).toBe(429);
    expect(carried(headers)).toEqual([]);
  });

  it('are absent when the key ends after the request was counted', async () => {
    const profile = await world.profile();
    const { secret } = await world.key({ profileId: profile.id });
    const context = beforeTransactions(world.context, () => world.rest(`DELETE /profiles/${profile.id}`));
    const { url } = await serveApp(context);

    const { status, headers } = await fetch(`${url}/api/v2/webhooks`, {
      method: 'POST',
      headers: { 'x-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'http://127.0.0.1:9/hook' }),
    });

    expect([status, carried(headers)]).toEqual([401, []]);
  });

  it('contain the limit, what remains and when the limit resets', async () => {
    const { secret } = await world.key();
    world.clock.set(new Date('2026-11-21T13:00:00.250Z'));

    const { headers } = await world.rest('GET /posts', { key: secret });

    expect(Object.fromEntries(ALL.map((name) => [name, headers.get(name)]))).toEqual({
      'x-request-id': UUID,
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'x-ratelimit-reset': String(Date.parse('2026-11-21T13:01:01Z') / 1000),
    });
  });

  it('give each request a different id', async () => {
    const { secret } = await world.key();

    const answers = await Promise.all(Array.from({ length: 20 }, () => world.rest('GET /posts', { key: secret })));

    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(20);
  });

  it('do not use a request id from the caller', async () => {
    const { headers } = await world.rest('GET /posts', { headers: { 'x-request-id': 'mine' } });

    expect(headers.get('x-request-id')).toEqual(UUID);
  });
});

describe('every response', () => {
  it.each<[string, `${string} /${string}`, RestCall]>([
    ['a good one', 'GET /posts', {}],
    ['a refused one', 'GET /posts', { key: null }],
    ['an unknown path', 'GET /nothing', {}],
    ['a public one', 'GET /health', { key: null }],
    ['the document', 'GET /openapi.json', { key: null }],
    ['a preflight', 'OPTIONS /posts', { key: null }],
  ])('has the security headers: %s', async (_case, call, options) => {
    const { headers } = await world.rest(call, options);

    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('set-cookie')).toBeNull();
  });

  it.each<[string, `${string} /${string}`, RestCall]>([
    ['a good one', 'GET /posts', {}],
    ['a refused one', 'GET /posts', { key: null }],
    ['an unknown path', 'GET /nothing', {}],
    ['a public one', 'GET /health', { key: null }],
  ])('is JSON that must not be cached: %s', async (_case, call, options) => {
    const { headers } = await world.rest(call, options);

    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['a good one', { 'x-api-key': scoped }],
    ['a refused one', {}],
  ])('must not be cached over /trpc either: %s', async (_case, key) => {
    const { headers } = await fetch(`${world.url}/trpc/posts.list`, { headers: key as Record<string, string> });

    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('HEAD', () => {
  it('answers as GET does, without the body', async () => {
    const { postId } = await makePost(world, world.sandboxSlug, { text: 'Ünïcödé' });
    const get = await fetch(`${world.url}/api/v2/posts/${postId}`, { headers: { 'x-api-key': world.liveKey } });

    const head = await fetch(`${world.url}/api/v2/posts/${postId}`, {
      method: 'HEAD',
      headers: { 'x-api-key': world.liveKey },
    });

    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(await get.text())));
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
  });

  it.each<[number, `${string} /${string}`]>([
    [404, `HEAD /posts/${UNKNOWN_ID}`],
    [405, 'HEAD /post/sandbox'],
  ])('answers %i without a body to %s', async (status, call) => {
    const head = await world.rest(call);

    expect(head.status).toBe(status);
    expect(head.body).toBe('');
  });
});
