/** The order of request checks: key, route, Content-Type, body, rate limit, capability, validation, execution. */
import { Readable } from 'node:stream';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Operation } from '../../routers/operations.ts';
import { readInput } from '../../server/rest-input.ts';
import { UNKNOWN_ID, refusal, UUID } from '../harness/expected.ts';
import { type RestCall, startWorld } from '../harness/world.ts';

const world = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '1' } });
const profile = await world.profile();

/** A key that has used up its window of `call`. */
async function fullKey(call: `${string} /${string}`, options: RestCall = {}): Promise<string> {
  const { secret } = await world.key();
  await world.rest(call, { key: secret, ...options });
  return secret;
}

const TOO_LARGE = ' '.repeat(1_048_577);

describe('the key is checked first', () => {
  it.each<[string, `${string} /${string}`, RestCall]>([
    ['an unknown path', 'GET /nothing', {}],
    ['a wrong method', 'PATCH /posts', {}],
    ['a wrong method on a public path', 'POST /health', {}],
    ['a wrong Content-Type', 'POST /post/sandbox', { raw: 'x', headers: { 'content-type': 'text/html' } }],
    ['a body that is not JSON', 'POST /posts', { raw: '{' }],
    ['a body that is too large', 'POST /posts', { raw: TOO_LARGE }],
    ['a failed validation', 'GET /posts?limit=ten', {}],
    ['a malformed id', 'GET /posts/latest', {}],
  ])('before %s', async (_case, call, options) => {
    const { status, body } = await world.rest(call, { ...options, key: 'wrong' });

    expect(status).toBe(401);
    expect(body).toEqual(refusal('unauthorized', 'The API key is missing, unknown or revoked.'));
  });

  it('and is still required after any number of refused requests without a key', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1) statuses.push((await world.rest('GET /posts', { key: null })).status);

    expect(statuses).toEqual([401, 401, 401, 401, 401]);
  });
});

describe('route, Content-Type and body are checked before the rate limit', () => {
  it.each<[number, string, `${string} /${string}`, RestCall]>([
    [405, 'a wrong method', 'PATCH /posts', { raw: '{' }],
    [400, 'a body that is not JSON', 'POST /posts', { raw: '{' }],
    [413, 'a body that is too large', 'POST /posts', { raw: TOO_LARGE }],
  ])('%i, %s, although the window is full', async (expected, _case, call, options) => {
    const key = await fullKey('GET /posts');

    const { status, headers } = await world.rest(call, { ...options, key });

    expect(status).toBe(expected);
    expect(headers.get('x-request-id')).toEqual(UUID);
    expect(headers.get('x-ratelimit-remaining')).toBeNull();
  });

  it('415, a wrong Content-Type, although the window is full', async () => {
    const key = await fullKey('POST /post/nowhere', { raw: 'x' });

    const { status, headers } = await world.rest('POST /post/nowhere', {
      key,
      raw: 'x',
      headers: { 'content-type': 'text/html' },
    });

    expect(status).toBe(415);
    expect(headers.get('x-ratelimit-remaining')).toBeNull();
  });
});

describe('the rate limit is checked before capability and validation', () => {
  it.each<[string, `${string} /${string}`, RestCall]>([
    ['a failed validation', 'GET /posts?limit=ten', {}],
    ['a refused body', 'POST /posts', { body: { nonsense: true } }],
    ['good work', 'GET /posts', {}],
  ])('when the window is full, %s', async (_case, call, options) => {
    const key = await fullKey('GET /posts');

    const { status, body } = await world.rest(call, { ...options, key });

    expect(status).toBe(429);
    expect(body).toEqual({ error: 'too many requests' });
  });

  it('when the window of a scoped key is full, a missing capability', async () => {
    const { secret } = await world.key({ profileId: profile.id });
    await world.rest('GET /connections', { key: secret });

    const { status, body } = await world.rest('POST /connections', { key: secret, body: {} });

    expect(status).toBe(429);
    expect(body).toEqual({ error: 'too many requests' });
  });
});

describe('capability is checked before validation', () => {
  it('so that a scoped key receives 403 before any validation error', async () => {
    const { secret } = await world.key({ profileId: profile.id });

    const { status } = await world.rest('POST /connections', { key: secret, body: { nonsense: true } });

    expect(status).toBe(403);
  });
});

describe('routing', () => {
  it.each<[string, `${string} /${string}`, string]>([
    ['an unknown path', 'GET /nothing', '/nothing'],
    ['a path with a slash too many', 'GET /posts/', '/posts/'],
    ['a path in capitals', 'GET /Posts', '/Posts'],
    ['the root', 'GET /', '/'],
    ['a malformed %-escape', 'GET /posts/%zz', '/posts/%zz'],
    ['an escape that is not UTF-8', 'GET /posts/%ff', '/posts/%ff'],
    ['a path below an operation', `GET /posts/${UNKNOWN_ID}/nothing`, `/posts/${UNKNOWN_ID}/nothing`],
  ])('answers %s with 404', async (_case, call, path) => {
    const { secret } = await world.key();

    const { status, headers, body } = await world.rest(call, { key: secret });

    expect(status).toBe(404);
    expect(body).toEqual(refusal('not_found', `This API has no path ${path}; GET /openapi.json lists the paths.`));
    expect(headers.get('allow')).toBeNull();
  });

  it.each<[`${string} /${string}`, string, string]>([
    ['PUT /posts', 'PUT', 'POST, GET'],
    [`PUT /posts/${UNKNOWN_ID}`, 'PUT', 'GET, PATCH, DELETE'],
    ['GET /post/sandbox', 'GET', 'POST'],
    ['HEAD /post/sandbox', 'HEAD', 'POST'],
    ['DELETE /health', 'DELETE', 'GET'],
    ['PATCH /connections', 'PATCH', 'GET, POST'],
  ])('answers %s with 405, and Allow lists the available methods', async (call, method, allow) => {
    const { secret } = await world.key();

    const { status, headers, body } = await world.rest(call, { key: secret });

    expect(status).toBe(405);
    expect(headers.get('allow')?.split(', ').toSorted()).toEqual(allow.split(', ').toSorted());
    const message = `${method} is not a method of this path; it has ${headers.get('allow')}.`;
    expect(body).toEqual(method === 'HEAD' ? '' : refusal('method_not_allowed', message));
  });
});

describe('the body', () => {
  it('is accepted up to 1 MiB and refused above it', async () => {
    const sized = (bytes: number) => {
      const start = '{"text":"';
      return `${start}${'a'.repeat(bytes - start.length - 2)}"}`;
    };
    const answers = await Promise.all(
      [1_048_576, 1_048_577].map(async (bytes) => {
        const { secret } = await world.key();
        return world.rest('POST /posts', { key: secret, raw: sized(bytes) });
      }),
    );

    expect(answers[0]?.status).toBe(400);
    expect(answers[0]?.body.message).toMatch(/^text: expected at most 100000 characters/);
    expect(answers[1]?.status).toBe(413);
    expect(answers[1]?.body).toEqual(
      refusal('request_too_large', 'The body is larger than 1048576 bytes, the most this endpoint reads.'),
    );
  });

  it('is refused above 1 MiB also without a Content-Length', async () => {
    const { secret } = await world.key();
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      const sent = httpRequest(
        `${world.url}/api/v2/posts`,
        { method: 'POST', headers: { 'x-api-key': secret } },
        resolve,
      );
      sent.on('error', reject);
      for (let count = 0; count < 17; count += 1) sent.write(' '.repeat(65_536));
      sent.end();
    });

    const response = await answer;

    expect(response.statusCode).toBe(413);
    expect(JSON.parse(Buffer.concat(await response.toArray()).toString())).toEqual(
      refusal('request_too_large', 'The body is larger than 1048576 bytes, the most this endpoint reads.'),
    );
  });

  it.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ['cut short', '{"text":"Hello"'],
    ['with a comma too many', '{"text":"Hello",}'],
    ['in single quotes', "{'text':'Hello'}"],
    ['a form', 'text=Hello&connectionSlugs=sandbox'],
    ['not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['NaN', '{"text":NaN}'],
  ])('is refused if it is not JSON: %s', async (_case, raw) => {
    const { secret } = await world.key();

    const { status, body } = await world.rest('POST /posts', { key: secret, raw });

    expect(status).toBe(400);
    expect(body).toEqual(refusal('invalid_request', 'The body is not valid JSON in UTF-8.'));
  });

  it('is parsed as JSON regardless of its Content-Type', async () => {
    const { secret } = await world.key();

    const { status, body } = await world.rest('POST /posts', {
      key: secret,
      raw: JSON.stringify({ text: 'Hello', connectionSlugs: [world.sandboxSlug] }),
      headers: { 'content-type': 'text/plain' },
    });

    expect(status).toBe(200);
    expect(body.results).toMatchObject([{ status: 'sent' }]);
  });

  it('is ignored by operations that have none', async () => {
    const { secret } = await world.key();

    const { status } = await world.rest(`DELETE /posts/${UNKNOWN_ID}`, { key: secret, raw: '{' });

    expect(status).toBe(404);
  });

  it('must not repeat a path parameter', async () => {
    const operation = {
      name: 'test.rename',
      meta: { openapi: { method: 'PATCH', path: '/things/{thingId}' } },
      input: z.strictObject({ thingId: z.string(), name: z.string() }),
    } as unknown as Operation;
    const route = { operation, pathParameters: { thingId: 'one' } };
    const read = (body: unknown) =>
      readInput(
        route,
        Object.assign(Readable.from([Buffer.from(JSON.stringify(body))]), { headers: {} }) as never,
        new URLSearchParams(),
      );

    expect(await read({ name: 'New' })).toEqual({ thingId: 'one', name: 'New' });
    await expect(read({ name: 'New', thingId: 'other' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'thingId: belongs in the path, not in the body.',
    });
  });
});

describe('the query', () => {
  it('ignores unknown parameters, once or repeated', async () => {
    const { secret } = await world.key();

    const { status, body } = await world.rest('GET /posts?utm_source=x&utm_source=y&Limit=ten&limits=0', {
      key: secret,
    });

    expect(status).toBe(200);
    expect(body).toMatchObject({ limit: 25, offset: 0 });
  });

  it('cannot replace a path parameter', async () => {
    const { secret } = await world.key();

    const { status, body } = await world.rest(`GET /connections/malformed?connectionId=${UNKNOWN_ID}`, { key: secret });

    expect(status).toBe(400);
    expect(body.details).toEqual([{ path: 'connectionId', expected: 'a UUID', received: 'malformed' }]);
  });

  it('cannot replace fields of a JSON body', async () => {
    const { secret } = await world.key();

    const { status, body } = await world.rest(`POST /posts?text=Hello&connectionSlugs=${world.sandboxSlug}`, {
      key: secret,
      body: {},
    });

    expect(status).toBe(400);
    expect(body.details.map(({ path }: { path: string }) => path)).toEqual(['text', 'connectionSlugs']);
  });
});
