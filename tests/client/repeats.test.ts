/** What the client repeats, when, and that nothing is done twice. */
import { describe, expect, it } from 'vitest';
import { createClient, errorBodyOf, hasErrorCode, type ClientOptions } from '../../client/index.ts';
import { delayBefore } from '../../client/retry-policy.ts';
import { accountWithSandbox } from '../harness/connections.ts';
import { breakingFirst, holdSends } from '../harness/held-sends.ts';
import { sandboxOf } from '../harness/posts.ts';
import { startWorld } from '../harness/world.ts';
import { scriptedFetch, type Step } from './scripted-fetch.ts';

const world = await startWorld();

function clientWith(steps: readonly Step[], options: Partial<ClientOptions> = {}) {
  const script = scriptedFetch(steps, { now: () => world.clock.now().getTime() });
  const client = createClient({ url: world.url, apiKey: world.liveKey, ...script.runtime, ...options });
  return { ...script, client };
}

const unavailable = (status: number, headers: Record<string, string> = {}) =>
  new Response('<html>busy</html>', { status, headers: { 'content-type': 'text/html', ...headers } });

/** What the service answers to a request that fails before its calls are read. */
const failing = (status: number, body: object) =>
  Response.json({ message: 'What happened.', req_id: '01936b5e-7a7c-7d7e-8b1f-3b1d5c2a9e10', ...body }, { status });

const post = { text: 'Once', connectionSlugs: ['sandbox'] };

describe('a read', () => {
  it.each<[string, Step]>([
    ['nothing answers', 'refused'],
    ['the answer breaks off', 'answer lost'],
    ['a proxy answers 503', unavailable(503)],
    ['a proxy answers 429', unavailable(429)],
    ['a proxy answers 503 in JSON', Response.json({ message: 'no healthy upstream' }, { status: 503 })],
    ['the service cannot check the key', failing(503, { error: 'storage_unavailable', retryable: true })],
  ])('is repeated when %s', async (_case, step) => {
    const { client, requests, waits } = clientWith([step]);

    const { posts } = await client.posts.list.query({ limit: 1 });

    expect(posts).toBeInstanceOf(Array);
    expect(requests).toEqual(['GET /trpc/posts.list', 'GET /trpc/posts.list']);
    expect(waits).toEqual([250]);
  });

  it('is tried four times, with waits that double, and then throws', async () => {
    const { client, requests, waits } = clientWith(Array.from({ length: 9 }, () => 'refused' as const));

    const failed = client.posts.list.query({});

    await expect(failed).rejects.toThrow(`No answer from ${world.url}: fetch failed`);
    expect(requests).toHaveLength(4);
    expect(waits).toEqual([250, 500, 1000]);
  });

  it.each([400, 401, 404, 500, 502])('is not repeated after HTTP %i of something else', async (status) => {
    const { client, requests } = clientWith([unavailable(status)]);

    await expect(client.posts.list.query({})).rejects.toThrow(`answered HTTP ${status}`);
    expect(requests).toHaveLength(1);
  });

  it('is not repeated after a refusal of the service', async () => {
    const { client, requests } = clientWith([]);

    const thrown: unknown = await client.posts.get.query({ postId: 'x' }).catch((error: unknown) => error);

    expect(requests).toHaveLength(1);
    expect(hasErrorCode(thrown, 'invalid_request', 'not_found')).toBe(true);
    expect(hasErrorCode(thrown, 'queue_full')).toBe(false);
    expect(errorBodyOf(thrown)).toMatchObject({ error: 'invalid_request', retryable: false });
  });

  it('throws the error of a request that fails before its calls are read', async () => {
    const { client } = clientWith([failing(500, { error: 'internal_server_error' })]);

    const reads = [client.posts.list.query({}), client.profiles.list.query({})];
    const failed = await Promise.all(reads.map((read) => read.catch((error: unknown) => error)));

    for (const error of failed) {
      expect(errorBodyOf(error)).toMatchObject({ error: 'internal_server_error', req_id: expect.any(String) });
      expect(error).toMatchObject({ message: 'What happened.' });
    }
  });

  it('is repeated when the service has no place for the request', async () => {
    await using busy = await startWorld({ env: { TRUST_PROXY: '1', MAX_CONNECTIONS_PER_ADDRESS: '1' } });
    const leave = new AbortController();
    await fetch(`${busy.url}/api/v2/events`, { headers: { 'x-api-key': busy.liveKey }, signal: leave.signal });
    const script = scriptedFetch([]);
    const sleep = async (ms: number) => {
      script.waits.push(ms);
      leave.abort();
      await expect.poll(async () => (await busy.rest('GET /posts')).status).toBe(200);
    };
    const clock = { now: script.runtime.clock.now, sleep };
    const client = createClient({ url: busy.url, apiKey: busy.liveKey, ...script.runtime, clock });

    expect((await client.posts.list.query({})).posts).toEqual([]);
    expect(script.waits).toEqual([1_000]);
  });

  it('waits as long as Retry-After says, in seconds or as a date', async () => {
    const at = new Date(world.clock.now().getTime() + 7_000).toUTCString();
    const { client, waits } = clientWith([
      unavailable(503, { 'retry-after': '3' }),
      unavailable(429, { 'retry-after': at }),
    ]);

    await client.posts.list.query({});

    expect(waits).toEqual([3_000, 7_000]);
  });

  it('fails at once when Retry-After is longer than the longest wait', async () => {
    const { client, requests } = clientWith([unavailable(503, { 'retry-after': '66' })]);

    await expect(client.posts.list.query({})).rejects.toThrow('answered HTTP 503');
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['', 0, 60_000],
    [' that was reached between two seconds', 1, 60_999],
  ])('waits for the reset of a rate limit%s, and no longer', async (_when, afterMs, wait) => {
    await using strict = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '1' } });
    strict.clock.advance(afterMs);
    const script = scriptedFetch([], { now: () => strict.clock.now().getTime() });
    const clock = {
      now: script.runtime.clock.now,
      sleep: async (ms: number) => {
        script.waits.push(ms);
        strict.clock.advance(ms);
      },
    };
    const client = createClient({ url: strict.url, apiKey: strict.liveKey, ...script.runtime, clock });
    await client.posts.list.query({});

    await client.posts.list.query({});

    expect(script.waits).toEqual([wait]);
    expect(script.requests).toHaveLength(3);
  });

  it('is repeated no more once its signal aborts', async () => {
    const stop = new AbortController();
    const script = scriptedFetch(['refused', 'refused']);
    const sleep = async (_ms: number, signal?: AbortSignal) => {
      stop.abort();
      signal?.throwIfAborted();
    };
    const clock = { now: script.runtime.clock.now, sleep };
    const client = createClient({ url: world.url, apiKey: world.liveKey, ...script.runtime, clock });

    await expect(client.posts.list.query({}, { signal: stop.signal })).rejects.toThrow('No answer');
    expect(script.requests).toHaveLength(1);
  });
});

describe('a change that takes an Idempotency-Key', () => {
  it('posts once when its answer is lost: all tries share one key', async () => {
    const { key } = await accountWithSandbox(world);
    const { client, bodies } = clientWith(['answer lost', 'refused', 'answer lost'], { apiKey: key });

    const { results } = await client.posts.create.mutate(post);

    const { body } = await world.rest('GET /posts', { key });
    expect(body.posts).toHaveLength(1);
    expect(results).toMatchObject([{ status: 'sent', postId: body.posts[0].id }]);
    expect(new Set(bodies).size).toBe(1);
    expect(bodies).toHaveLength(4);
    expect(bodies[0]).toMatch(/"idempotencyKey":"[0-9a-f]{32}"/);
  });

  it('waits for the answer of a try that still runs, and posts once', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const sends = holdSends(world);
    const script = scriptedFetch([]);
    const sleep = async (ms: number) => {
      script.waits.push(ms);
      if (script.waits.length < 8) return;
      sends.release();
      await expect.poll(async () => (await sandboxOf(world, connection.id)).length).toBe(1);
    };
    const clock = { now: script.runtime.clock.now, sleep };
    const fetching = breakingFirst(script.runtime.fetch, sends.begun);
    const client = createClient({ url: world.url, apiKey: key, ...script.runtime, fetch: fetching, clock });

    const { results } = await client.posts.create.mutate(post);

    expect(results).toMatchObject([{ status: 'sent' }]);
    expect(script.waits.slice(0, 8)).toEqual([250, ...Array.from({ length: 7 }, () => 2_000)]);
    expect((await world.rest('GET /posts', { key })).body.posts).toHaveLength(1);
    expect(new Set(script.bodies).size).toBe(1);
  });

  it('gets another key with each call', async () => {
    const { client, bodies } = clientWith([], {
      random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    });

    await client.posts.create.mutate({ ...post, isDraft: true });
    await client.posts.create.mutate({ ...post, isDraft: true });

    const keys = bodies.map((body) => /"idempotencyKey":"([0-9a-f]{32})"/.exec(body)?.[1]);
    expect(new Set(keys).size).toBe(2);
  });

  it('keeps the key that the caller gives', async () => {
    const { client, bodies } = clientWith(['refused']);

    await client.posts.create.mutate({ ...post, isDraft: true, idempotencyKey: 'own' });

    expect(bodies.every((body) => body.includes('"idempotencyKey":"own"'))).toBe(true);
  });

  it('in a batch is repeated alone', async () => {
    const { client, requests } = clientWith(['refused']);

    const answers = await Promise.allSettled([
      client.posts.create.mutate({ ...post, isDraft: true }),
      client.profiles.create.mutate({ name: 'Not twice' }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(requests).toEqual(['POST /trpc/posts.create,profiles.create', 'POST /trpc/posts.create']);
  });
});

describe('any other change', () => {
  it.each<[string, Step]>([
    ['nothing answers', 'refused'],
    ['something answers 503', unavailable(503)],
    ['its answer is lost', 'answer lost'],
  ])('is never repeated when %s', async (_case, step) => {
    const { client, requests } = clientWith([step]);

    await expect(client.profiles.create.mutate({ name: 'Once' })).rejects.toThrow(/No answer|answered HTTP 503/);
    expect(requests).toEqual(['POST /trpc/profiles.create']);
  });
});

describe('options', () => {
  it('retry: false makes one try of each call', async () => {
    const { client, requests } = clientWith(['refused'], { retry: false });

    await expect(client.posts.list.query({})).rejects.toThrow('No answer');
    expect(requests).toHaveLength(1);
  });

  it('set the number of tries and the waits', async () => {
    const { client, waits } = clientWith(
      Array.from({ length: 9 }, () => 'refused' as const),
      { retry: { tries: 5, firstDelayMs: 100, maxDelayMs: 300 } },
    );

    await expect(client.posts.list.query({})).rejects.toThrow('No answer');
    expect(waits).toEqual([50, 100, 150, 150]);
  });

  it('spread the waits between half of the delay and all of it', () => {
    const runtime = (byte: number) => ({
      ...scriptedFetch([]).runtime,
      random: (length: number) => new Uint8Array(length).fill(byte),
    });

    expect(delayBefore(runtime(0), {}, { triesMade: 1 })).toBe(250);
    expect(delayBefore(runtime(255), {}, { triesMade: 1 })).toBeCloseTo(500, 3);
  });
});
