/** The sliding window allows an exact number of requests a minute for each key and endpoint group. */
import { describe, expect, it } from 'vitest';
import { TEST_DATABASE_URL } from '../harness/database.ts';
import { UNKNOWN_ID } from '../harness/expected.ts';
import { startPeer } from '../harness/peer.ts';
import { serveApp } from '../harness/serve-app.ts';
import { type RestAnswer, type RestCall, startWorld } from '../harness/world.ts';

const world = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '60' } });

/** A key with empty windows. */
async function freshKey(): Promise<string> {
  return (await world.key()).secret;
}

async function spend(
  key: string,
  count: number,
  call: `${string} /${string}` = 'GET /platforms',
): Promise<RestAnswer[]> {
  const answers: RestAnswer[] = [];
  for (let index = 0; index < count; index += 1) answers.push(await world.rest(call, { key }));
  return answers;
}

/** The rate limit headers, and whether the request was allowed. */
function state({ status, headers }: RestAnswer) {
  const number = (name: string) => Number(headers.get(name));
  return {
    admitted: status !== 429,
    limit: number('x-ratelimit-limit'),
    remaining: number('x-ratelimit-remaining'),
    reset: number('x-ratelimit-reset'),
  };
}

function unixSeconds(instant: Date): number {
  return instant.getTime() / 1000;
}

/** Moves time to a whole second, so that reset times are exact. */
function toWholeSecond(): number {
  world.clock.set(new Date(Math.ceil(unixSeconds(world.clock.now())) * 1000));
  return unixSeconds(world.clock.now());
}

describe('the window', () => {
  it('allows 60 requests, counts down, and refuses the 61st with exactly this body', async () => {
    const key = await freshKey();
    const start = toWholeSecond();

    const answers = await spend(key, 61);

    expect(answers.map(state)).toEqual([
      ...Array.from({ length: 60 }, (_, index) => ({
        admitted: true,
        limit: 60,
        remaining: 59 - index,
        reset: start + 60,
      })),
      { admitted: false, limit: 60, remaining: 0, reset: start + 60 },
    ]);
    expect(answers[60]?.status).toBe(429);
    expect(answers[60]?.body).toEqual({ error: 'too many requests' });
  });

  it('does not count refused requests', async () => {
    const key = await freshKey();
    toWholeSecond();
    await spend(key, 60);
    world.clock.advance(59_999);
    const refused = await spend(key, 10);
    world.clock.advance(1);

    const answers = await spend(key, 61);

    expect(refused.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 429));
    expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 60 }, () => 200), 429]);
  });

  it('slides: each request frees its place after a minute, and reset follows the oldest request', async () => {
    const key = await freshKey();
    const start = toWholeSecond();
    await spend(key, 20);
    world.clock.advance(30_000);
    await spend(key, 40);
    const full = await spend(key, 1);
    world.clock.advance(29_999);
    const stillFull = await spend(key, 1);
    world.clock.advance(1);

    const answers = await spend(key, 21);

    expect(full.map(state)).toEqual([{ admitted: false, limit: 60, remaining: 0, reset: start + 60 }]);
    expect(stillFull.map(({ status }) => status)).toEqual([429]);
    expect(answers.map(state)).toEqual([
      ...Array.from({ length: 20 }, (_, index) => ({
        admitted: true,
        limit: 60,
        remaining: 19 - index,
        reset: start + 90,
      })),
      { admitted: false, limit: 60, remaining: 0, reset: start + 90 },
    ]);
  });

  it('returns as reset the first whole second at which a request is allowed', async () => {
    const key = await freshKey();
    const start = toWholeSecond();
    world.clock.advance(1);
    const [first] = await spend(key, 60);
    world.clock.set(new Date((state(first as RestAnswer).reset - 1) * 1000));
    const [before] = await spend(key, 1);
    world.clock.advance(1_000);

    const [at] = await spend(key, 1);

    expect(state(first as RestAnswer).reset).toBe(start + 61);
    expect([before?.status, at?.status]).toEqual([429, 200]);
  });

  it('allows exactly 60 of 100 parallel requests', async () => {
    const key = await freshKey();

    const answers = await Promise.all(Array.from({ length: 100 }, () => world.rest('GET /platforms', { key })));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    const remaining = answers.filter(({ status }) => status === 200).map((answer) => state(answer).remaining);
    expect(remaining.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index));
  });

  it('has the limit that the operator configured', async () => {
    await using other = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '2' } });

    const answers = [await other.rest('GET /posts'), await other.rest('GET /posts'), await other.rest('GET /posts')];

    expect(answers.map(({ status, headers }) => [status, headers.get('x-ratelimit-limit')])).toEqual([
      [200, '2'],
      [200, '2'],
      [429, '2'],
    ]);
  });
});

describe.runIf(TEST_DATABASE_URL)('two processes on one database', () => {
  it('allow exactly 60 of 100 parallel requests in total', async () => {
    const key = await freshKey();
    const origins = [world.url, (await serveApp(await startPeer(world))).url];

    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        fetch(`${origins[index % 2]}/api/v2/platforms`, { headers: { 'x-api-key': key } }),
      ),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
  });
});

describe('a bucket', () => {
  /** What remains after one request, with a key that made `before` first. */
  async function leftAfter(before: `${string} /${string}`, call: `${string} /${string}`): Promise<number> {
    const key = await freshKey();
    await world.rest(before, { key, ...bodyFor(before) });
    return state(await world.rest(call, { key, ...bodyFor(call) })).remaining;
  }

  function bodyFor(call: string): RestCall {
    if (!call.startsWith('POST')) return {};
    return call.includes('/post/') ? { raw: 'Hello' } : { body: {} };
  }

  it.each<[`${string} /${string}`, `${string} /${string}`]>([
    ['POST /posts', 'GET /posts'],
    ['GET /posts', 'HEAD /posts'],
    ['GET /posts?limit=1', 'GET /posts?status=sent'],
    [`GET /posts/${UNKNOWN_ID}`, `DELETE /posts/${UNKNOWN_ID}`],
    ['GET /posts/one', 'DELETE /posts/other'],
    ['POST /connections', 'GET /connections'],
    [`DELETE /connections/${UNKNOWN_ID}`, `GET /connections/${UNKNOWN_ID}`],
    ['POST /post/one', 'POST /post/other'],
  ])('is shared by all methods and objects of a path: %s and %s', async (before, call) => {
    expect(await leftAfter(before, call)).toBe(58);
  });

  it.each<[`${string} /${string}`, `${string} /${string}`]>([
    ['GET /posts', `GET /posts/${UNKNOWN_ID}`],
    [`GET /posts/${UNKNOWN_ID}`, `GET /posts/${UNKNOWN_ID}/attempts`],
    ['GET /connections', `GET /connections/${UNKNOWN_ID}`],
    ['GET /connections', 'GET /posts'],
    ['POST /posts', 'POST /post/sandbox'],
    ['GET /health', 'GET /posts'],
  ])('is separate for each path: %s and %s', async (before, call) => {
    expect(await leftAfter(before, call)).toBe(59);
  });

  it('is separate for each key, also within an account', async () => {
    const [one, other] = [await freshKey(), await freshKey()];
    await spend(one, 60);

    const answers = [
      await world.rest('GET /platforms', { key: one }),
      await world.rest('GET /platforms', { key: other }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([429, 200]);
  });
});

describe('counted requests', () => {
  it.each<[number, string, `${string} /${string}`, RestCall]>([
    [400, 'a failed validation', 'GET /posts?limit=ten', {}],
    [400, 'a refused body', 'POST /posts', { body: { text: '' } }],
    [400, 'an empty body', 'POST /posts', {}],
    [400, 'no matching slug', 'POST /posts', { body: { text: 'Hello', connectionSlugs: ['nowhere'] } }],
  ])('%i, %s', async (expected, _case, call, options) => {
    const key = await freshKey();

    const { status } = await world.rest(call, { key, ...options });

    expect(status).toBe(expected);
    expect(state(await world.rest('GET /posts', { key })).remaining).toBe(58);
  });

  it.each<[number, string, `${string} /${string}`, RestCall]>([
    [400, 'a body that is not JSON', 'POST /posts', { raw: '{"text":' }],
    [405, 'a wrong method', 'PATCH /posts', { body: {} }],
    [413, 'a body that is too large', 'POST /posts', { raw: ' '.repeat(1_048_577) }],
    [401, 'a wrong key', 'GET /posts', { key: 'wrong' }],
    [204, 'a preflight', 'OPTIONS /posts', {}],
  ])('exclude %i, %s', async (expected, _case, call, options) => {
    const key = await freshKey();

    const { status } = await world.rest(call, { key, ...options });

    expect(status).toBe(expected);
    expect(state(await world.rest('GET /posts', { key })).remaining).toBe(59);
  });

  it('exclude 415, a wrong Content-Type', async () => {
    const key = await freshKey();

    const { status } = await world.rest('POST /post/sandbox', {
      key,
      raw: '{}',
      headers: { 'content-type': 'text/html' },
    });

    expect(status).toBe(415);
    expect(state(await world.rest('POST /post/nowhere', { key, raw: 'Hello' })).remaining).toBe(59);
  });
});

describe('GET /health', () => {
  it('is limited by address, regardless of the key, with a sliding window', async () => {
    world.clock.advance(60_000);
    const keys = [null, world.liveKey, 'wrong'];
    const first = await Promise.all(
      Array.from({ length: 60 }, (_, index) => world.rest('GET /health', { key: keys[index % 3] ?? null })),
    );
    const refused = await world.rest('GET /health', { key: null });
    world.clock.advance(60_000);

    const again = await world.rest('GET /health', { key: null });

    expect(first.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200));
    expect([refused.status, refused.body]).toEqual([429, { error: 'too many requests' }]);
    expect(again.status).toBe(200);
  });

  it('uses the address from a trusted proxy and ignores all other forwarded addresses', async () => {
    await using behind = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '1', TRUST_PROXY: '1' } });
    await using open = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '1' } });
    const ask = async (from: typeof world, address: string) =>
      (await from.rest('GET /health', { key: null, headers: { 'x-forwarded-for': address } })).status;

    const statuses = {
      behind: [await ask(behind, '192.0.2.1'), await ask(behind, '192.0.2.2'), await ask(behind, '192.0.2.1')],
      open: [await ask(open, '192.0.2.1'), await ask(open, '192.0.2.2')],
    };

    expect(statuses).toEqual({ behind: [200, 200, 429], open: [200, 429] });
  });
});
