/** Complete error bodies: code, message, hint, documentation link, invalid fields and whether a retry can help. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { ERROR_CODES, ERRORS } from '../../errors/codes.ts';
import { UUID } from '../harness/expected.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();
const DOCS = 'http://localhost:3000/docs/errors';

/** Renames a table until the test ends, so that queries on it fail. */
async function withoutTable(name: string): Promise<void> {
  await world.sql(`alter table ${name} rename to ${name}_away`);
  onTestFinished(async () => {
    await world.sql(`alter table ${name}_away rename to ${name}`);
  });
}

describe('the error body', () => {
  it('401 unauthorized', async () => {
    const { status, body } = await world.rest('GET /posts', { key: null });

    expect(status).toBe(401);
    expect(body).toEqual({
      error: 'unauthorized',
      message: 'The API key is missing, unknown or revoked.',
      hint: 'Send a valid key as "x-api-key: <key>" or "Authorization: Bearer <key>".',
      docs: `${DOCS}#unauthorized`,
      retryable: false,
    });
  });

  it('400 invalid_request lists each invalid field', async () => {
    const { status, body } = await world.rest('GET /posts?limit=ten&offset=-1');

    expect(status).toBe(400);
    expect(body).toEqual({
      error: 'invalid_request',
      message: 'limit: expected a number; offset: expected at least 0.',
      hint: 'Correct the field that the message names, then send the request again.',
      docs: `${DOCS}#invalid_request`,
      details: [
        { path: 'limit', expected: 'a number', received: 'ten' },
        { path: 'offset', expected: 'at least 0', received: '-1' },
      ],
      retryable: false,
    });
  });

  it('404 not_found', async () => {
    const { status, body } = await world.rest('GET /posts/00000000-0000-0000-0000-000000000000');

    expect(status).toBe(404);
    expect(body).toEqual({
      error: 'not_found',
      message: 'No post of yours has the id 00000000-0000-0000-0000-000000000000.',
      hint: 'Check the id and the path; an object of another account or profile gives the same answer.',
      docs: `${DOCS}#not_found`,
      retryable: false,
    });
  });

  it('422 platform_rejected includes the request id', async () => {
    const { status, headers, body } = await world.rest('POST /post/sandbox', { raw: '[[reject]]' });

    expect(status).toBe(422);
    expect(body).toEqual({
      error: 'platform_rejected',
      message: 'The sandbox refused the post, as [[reject]] in its text asks.',
      hint: 'Change what the message names; the same request is refused again.',
      docs: `${DOCS}#platform_rejected`,
      retryable: false,
      req_id: headers.get('x-request-id'),
    });
  });

  it.each([
    [
      503,
      'platform_unavailable',
      '[[unavailable]]',
      'The sandbox is unavailable, as [[unavailable]] in the text asks; nothing was posted.',
      'Try again later. Send a failed post again with POST /posts/{postId}/retry, not as a new post: the retry first looks for its earlier sends.',
      true,
    ],
    [
      422,
      'reconnect_required',
      '[[reconnect]]',
      'The sandbox no longer accepts this credential, as [[reconnect]] in the text asks.',
      'Connect the account again. Then send a failed post again with POST /posts/{postId}/retry, not as a new post: the retry first looks for its earlier sends.',
      false,
    ],
  ])('%s %s says to retry this post and not to write it again', async (code, error, raw, message, hint, retryable) => {
    const { status, body } = await world.rest('POST /post/sandbox', { raw });

    expect([status, body]).toEqual([code, { error, message, hint, docs: `${DOCS}#${error}`, retryable }]);
  });

  it('500 internal_server_error includes the request id and no internal details', async () => {
    await withoutTable('posts');

    const { status, headers, body } = await world.rest('GET /posts');

    expect(status).toBe(500);
    expect(body).toEqual({
      error: 'internal_server_error',
      message: 'Something failed on our side. If this request was sending a post, the post may have been published.',
      hint: 'Check GET /posts before sending again, and quote req_id when you report it.',
      docs: `${DOCS}#internal_server_error`,
      retryable: true,
      req_id: headers.get('x-request-id'),
    });
    expect(headers.get('x-ratelimit-remaining')).not.toBeNull();
  });

  it('a 500 before the rate limit check includes the request id and no rate limit headers', async () => {
    await withoutTable('api_keys');

    const { status, headers, body } = await world.rest('GET /posts');

    expect(status).toBe(500);
    expect(body).toMatchObject({ error: 'internal_server_error', req_id: headers.get('x-request-id') });
    expect(headers.get('x-request-id')).not.toBeNull();
    expect(headers.get('x-ratelimit-limit')).toBeNull();
  });
});

describe('the request id of a 500', () => {
  it.each([
    ['MCP', 'POST /mcp', 'api_keys'],
    ['tRPC', 'GET /trpc/posts.list', 'api_keys'],
    ['a calendar', `GET /calendars/cal_${'c'.repeat(43)}.ics`, 'calendars'],
    ['a public operation', 'GET /api/v2/stats', 'posts'],
    ['a public operation over tRPC', 'GET /trpc/public.stats?input=%7B%7D', 'posts'],
  ])('is the same in the body and the header: %s', async (_surface, call, table) => {
    await withoutTable(table);
    const [method = '', path = ''] = call.split(' ');

    const response = await fetch(world.url + path, { method, headers: { 'x-api-key': world.liveKey } });

    const requestId = response.headers.get('x-request-id');
    expect([response.status, requestId]).toEqual([500, UUID]);
    expect(await response.text()).toContain(`"req_id":"${requestId}"`);
  });
});

describe('a quoted input value', () => {
  it.each<[string, unknown, object[]]>([
    [
      'a field that does not exist, beside the others that are wrong',
      { text: 'Hello', connectionSlugs: 'sandbox', scheduleFor: 'x' },
      [
        { path: 'connectionSlugs', expected: 'an array', received: 'sandbox' },
        { path: '', expected: 'no field called "scheduleFor"' },
      ],
    ],
    [
      'several fields that do not exist',
      { text: 'Hello', connectionSlugs: ['sandbox'], a: 1, b: 2 },
      [{ path: '', expected: 'no field called "a" or "b"' }],
    ],
    [
      'a value that is long, cut at 80 characters',
      { text: 'Hello', connectionSlugs: ['a'.repeat(201)] },
      [{ path: 'connectionSlugs.0', expected: 'at most 200 characters', received: `${'a'.repeat(80)}…` }],
    ],
    [
      'null as null',
      { text: null, connectionSlugs: ['sandbox'] },
      [{ path: 'text', expected: 'a string', received: 'null' }],
    ],
    [
      'an object as JSON',
      { text: { de: 'Hallo' }, connectionSlugs: ['sandbox'] },
      [{ path: 'text', expected: 'a string', received: '{"de":"Hallo"}' }],
    ],
  ])('is %s', async (_case, sent, details) => {
    const { status, body } = await world.rest('POST /posts', { body: sent });

    expect(status).toBe(400);
    expect(body.details).toEqual(details);
  });

  it('lists at most twenty fields', async () => {
    const { status, body } = await world.rest('POST /posts', {
      body: { text: 'Hello', connectionSlugs: Array.from({ length: 30 }, () => 7) },
    });

    expect(status).toBe(400);
    expect(body.details).toHaveLength(20);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('is also a field named %s', async (name) => {
    const { status, body } = await world.rest('POST /posts', {
      raw: `{"text":"Hello","connectionSlugs":["sandbox"],${JSON.stringify(name)}:{"x":1}}`,
    });

    expect(status).toBe(400);
    expect(body.message).toBe(`body: expected no field called "${name}".`);
  });
});

describe('the error table', () => {
  it.each(ERROR_CODES.map((code) => [code] as const))('gives %s a message, a hint and a status', (code) => {
    const { status, message, hint } = ERRORS[code];

    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect([message, hint].filter((text) => !/^[A-Z].*\.$/.test(text))).toEqual([]);
  });

  it('repeats the request id for platform rejections and internal errors', () => {
    const reporting = ERROR_CODES.filter((code) => 'reportsRequestId' in ERRORS[code]);

    expect(reporting).toEqual(expect.arrayContaining(['platform_rejected', 'internal_server_error']));
    expect(reporting.filter((code) => ERRORS[code].status < 500)).toEqual(['platform_rejected']);
  });
});
