/** The typed client over /trpc has the operations, errors and limits of REST, and several calls in one request. */
import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { AppRouter } from '../../routers/index.ts';
import { makeAccount } from '../harness/accounts.ts';
import { accountWithSandbox } from '../harness/connections.ts';
import { UNKNOWN_ID, refusal, UUID } from '../harness/expected.ts';
import { makePost, sandboxOf } from '../harness/posts.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '60' } });

/** A client, and the responses to its requests. */
function clientWith(key: string | null) {
  const responses: Response[] = [];
  const client = createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: `${world.url}/trpc`,
        headers: key === null ? {} : { 'x-api-key': key },
        fetch: async (url, options) => {
          const response = await fetch(url, options as RequestInit);
          responses.push(response);
          return response;
        },
      }),
    ],
  });
  return { client, responses };
}

/** The data of the error that a call fails with. */
async function errorOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TRPCClientError)) throw new Error(`expected a TRPCClientError, not ${String(error)}`);
  return (error as TRPCClientError<AppRouter>).data;
}

describe('a call', () => {
  it('does what the REST operation does', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const { client } = clientWith(key);

    const { results } = await client.posts.create.mutate({ text: 'Hello', connectionSlugs: ['sandbox'] });

    expect(results).toEqual([
      {
        connectionSlug: 'sandbox',
        status: 'sent',
        postId: UUID,
        url: expect.any(String),
        scheduledFor: null,
        threadCount: 0,
        hasFirstComment: false,
        error: null,
      },
    ]);
    expect(await sandboxOf(world, connection.id)).toHaveLength(1);
  });

  it('returns the same answer as REST', async () => {
    const { key } = await accountWithSandbox(world);
    await makePost(world, 'sandbox', { key });
    const { client } = clientWith(key);

    const answers = {
      posts: await client.posts.list.query({ limit: 1 }),
      connections: await client.connections.list.query({}),
      platforms: await client.platforms.list.query({}),
    };

    expect(answers).toEqual({
      posts: (await world.rest('GET /posts?limit=1', { key })).body,
      connections: (await world.rest('GET /connections', { key })).body,
      platforms: (await world.rest('GET /platforms', { key })).body,
    });
  });

  it('has the types of the operations', () => {
    const { client } = clientWith(null);

    expectTypeOf(client.posts.create.mutate).parameter(0).toHaveProperty('connectionSlugs').toEqualTypeOf<string[]>();
    expectTypeOf(client.posts.get.query).returns.resolves.toHaveProperty('post').toHaveProperty('id').toBeString();
  });

  it('needs no key if REST needs none', async () => {
    const { client, responses } = clientWith(null);

    const health = await client.public.health.query({});

    expect(health).toMatchObject({ version: '2.0.0' });
    expect(responses[0]?.headers.get('x-request-id')).toBeNull();
  });
});

describe('a batch', () => {
  it('is one request with a separate answer for each call', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const { client, responses } = clientWith(key);

    const answers = await Promise.allSettled([
      client.connections.list.query({}),
      client.posts.get.query({ postId: UNKNOWN_ID }),
      client.posts.list.query({}),
    ]);

    expect(responses).toHaveLength(1);
    expect(answers).toMatchObject([
      { status: 'fulfilled', value: { connections: [{ id: connection.id }] } },
      { status: 'rejected', reason: { data: { code: 'NOT_FOUND', httpStatus: 404, error: { error: 'not_found' } } } },
      { status: 'fulfilled', value: { posts: [], limit: 25, offset: 0, nextCursor: null } },
    ]);
  });

  it('counts each call in its own bucket, which it shares with REST', async () => {
    const { key } = await makeAccount(world);
    const { client } = clientWith(key);
    await Promise.all([
      client.posts.list.query({}),
      client.posts.list.query({ limit: 1 }),
      client.posts.list.query({ limit: 2 }),
      client.connections.list.query({}),
    ]);

    const remaining = await Promise.all(
      (['GET /posts', 'GET /connections', 'GET /platforms'] as const).map(async (call) => {
        const { headers } = await world.rest(call, { key });
        return headers.get('x-ratelimit-remaining');
      }),
    );

    expect(remaining).toEqual(['56', '58', '59']);
  });

  it('returns the headers of the bucket with the least capacity left', async () => {
    const { key } = await makeAccount(world);
    for (let count = 0; count < 5; count += 1) await world.rest('GET /posts', { key });
    const { client, responses } = clientWith(key);

    await Promise.all([
      client.connections.list.query({}),
      client.posts.list.query({}),
      client.platforms.list.query({}),
    ]);

    const { headers } = responses[0] as Response;
    expect({
      id: headers.get('x-request-id'),
      limit: headers.get('x-ratelimit-limit'),
      remaining: headers.get('x-ratelimit-remaining'),
      reset: headers.get('x-ratelimit-reset'),
    }).toEqual({
      id: UUID,
      limit: '60',
      remaining: '54',
      reset: String(Math.ceil(world.clock.now().getTime() / 1000) + 60),
    });
  });

  it('allows exactly as many of its calls as the window has room for', async () => {
    const { key } = await makeAccount(world);
    const { client } = clientWith(key);

    const answers = await Promise.allSettled(
      Array.from({ length: 70 }, (_, index) => client.posts.list.query({ offset: index })),
    );

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(60);
    const refused = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => reason.data);
    expect(refused).toEqual(
      Array.from({ length: 10 }, () => ({
        code: 'TOO_MANY_REQUESTS',
        httpStatus: 429,
        error: { error: 'too many requests' },
      })),
    );
  });

  it('of a hundred and one calls is refused', async () => {
    const names = Array.from({ length: 101 }, () => 'platforms.list').join(',');

    const response = await fetch(`${world.url}/trpc/${names}?batch=1`, { headers: { 'x-api-key': world.liveKey } });

    expect(response.status).toBe(400);
    expect(JSON.stringify(await response.json())).toContain('"error":"invalid_request"');
  });
});

describe('a public call', () => {
  it('counts for the address, regardless of the key', async () => {
    world.clock.advance(60_000);
    const { client, responses } = clientWith((await makeAccount(world)).key);
    await Promise.all(Array.from({ length: 59 }, () => world.rest('GET /health', { key: null })));

    const answers = await Promise.allSettled([client.public.health.query({}), client.public.health.query({})]);

    // Either may be counted first.
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(responses[0]?.headers.get('x-ratelimit-limit')).toBeNull();
    expect((await world.rest('GET /health', { key: null })).status).toBe(429);
  });
});

describe('an error', () => {
  it.each([
    ['400', 'BAD_REQUEST', 'GET /posts?limit=0', (client: Client) => client.posts.list.query({ limit: 0 })],
    [
      '404',
      'NOT_FOUND',
      `GET /posts/${UNKNOWN_ID}`,
      (client: Client) => client.posts.get.query({ postId: UNKNOWN_ID }),
    ],
    [
      '400',
      'BAD_REQUEST',
      'DELETE /posts/latest',
      (client: Client) => client.posts.delete.mutate({ postId: 'latest' }),
    ],
  ] as const)('%s %s carries the body of %s', async (status, code, call, ask) => {
    const { client } = clientWith(world.liveKey);
    const { body } = await world.rest(call);

    const data = await errorOf(ask(client));

    // A query string is text, so `received` shows the same text as the number that was sent.
    expect(data).toEqual({ code, httpStatus: Number(status), error: body });
  });

  it('includes the request id of its request when REST does', async () => {
    const { key } = await accountWithSandbox(world);
    const { client, responses } = clientWith(key);

    const data = await errorOf(client.posts.createSimple.mutate({ connectionSlug: 'sandbox', text: '[[reject]]' }));

    expect(data).toEqual({
      code: 'UNPROCESSABLE_CONTENT',
      httpStatus: 422,
      error: refusal('platform_rejected', 'The sandbox refused the post, as [[reject]] in its text asks.', {
        req_id: responses[0]?.headers.get('x-request-id') ?? '',
      }),
    });
  });

  it('never contains a stack trace', async () => {
    const { client, responses } = clientWith(world.liveKey);
    await errorOf(client.posts.get.query({ postId: UNKNOWN_ID }));

    const response = await fetch(responses[0]?.url ?? '', { headers: { 'x-api-key': world.liveKey } });

    expect(await response.text()).not.toMatch(/stack|node_modules|\.ts:/);
  });

  it.each([null, 'wrong'])('is unauthorized without a valid key: %s', async (key) => {
    const { client, responses } = clientWith(key);

    const data = await errorOf(client.posts.list.query({}));

    expect(data).toEqual({
      code: 'UNAUTHORIZED',
      httpStatus: 401,
      error: refusal('unauthorized', 'The API key is missing, unknown or revoked.'),
    });
    expect(responses[0]?.status).toBe(401);
    expect([...(responses[0]?.headers.keys() ?? [])].filter((name) => /^x-(ratelimit|request)/.test(name))).toEqual([]);
  });

  it('stays unauthorized without a key, regardless of how often it is called', async () => {
    const { client } = clientWith(null);

    const answers = await Promise.all(Array.from({ length: 70 }, () => errorOf(client.posts.list.query({}))));

    expect(new Set(answers.map((data) => data?.httpStatus))).toEqual(new Set([401]));
  });

  it('is forbidden to a scoped key, as over REST', async () => {
    const profile = await world.profile();
    const { secret } = await world.key({ profileId: profile.id });
    const { client } = clientWith(secret);

    const data = await errorOf(client.connections.connect.mutate({ platformId: 'sandbox', credentials: {} }));

    expect(data).toEqual({
      code: 'FORBIDDEN',
      httpStatus: 403,
      error: refusal(
        'forbidden',
        'This key or access token is limited to one profile; this operation needs one that reaches the whole account.',
      ),
    });
  });

  it('counts toward the rate limit for a missing capability, as over REST', async () => {
    const profile = await world.profile();
    const { secret } = await world.key({ profileId: profile.id });
    const { client, responses } = clientWith(secret);

    await errorOf(client.connections.connect.mutate({ platformId: 'sandbox', credentials: {} }));

    expect(responses[0]?.headers.get('x-ratelimit-remaining')).toBe('59');
  });

  it.each<[string, number, string, RequestInit & { path: string }]>([
    ['an operation that does not exist', 404, 'not_found', { path: 'posts.nothing' }],
    ['a mutation asked for as a query', 405, 'method_not_allowed', { path: 'posts.create' }],
    [
      'an input that is not JSON',
      400,
      'invalid_request',
      { path: 'posts.create', method: 'POST', body: '{', headers: { 'content-type': 'application/json' } },
    ],
    [
      'an input that is too large',
      413,
      'request_too_large',
      {
        path: 'posts.create',
        method: 'POST',
        body: ' '.repeat(1_048_577),
        headers: { 'content-type': 'application/json' },
      },
    ],
    [
      'an input of another type',
      415,
      'unsupported_content_type',
      { path: 'posts.create', method: 'POST', body: 'x', headers: { 'content-type': 'text/html' } },
    ],
  ])('has an API error code for %s: %i %s', async (_case, status, code, { path, ...init }) => {
    const response = await fetch(`${world.url}/trpc/${path}`, {
      ...init,
      headers: { 'x-api-key': world.liveKey, ...(init.headers as Record<string, string> | undefined) },
    });

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { data: { httpStatus: status, error: { error: code } } } });
  });
});

type Client = ReturnType<typeof clientWith>['client'];
