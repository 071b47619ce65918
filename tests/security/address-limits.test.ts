/**
 * Limits by address: one for an IPv6 /64, exact over all processes, and still effective while the database is
 * unreachable.
 */
import { describe, expect, it } from 'vitest';
import { createMemoryRateLimiter } from '../../services/limits/memory-rate-limiter.ts';
import { withFallback } from '../../services/limits/public-rate-limiter.ts';
import type { RateLimiter } from '../../services/limits/rate-limiter.ts';
import { TEST_DATABASE_URL } from '../harness/database.ts';
import { startPeer } from '../harness/peer.ts';
import { serveApp } from '../harness/serve-app.ts';
import { startWorld, type World } from '../harness/world.ts';

const env = { RATE_LIMIT_PER_MINUTE: '2', TRUST_PROXY: '1' };

async function ask(origin: string, path: string, address: string, method = 'GET'): Promise<number> {
  const headers = { 'x-forwarded-for': address, 'content-type': 'application/json' };
  const response = await fetch(origin + path, {
    method,
    headers,
    redirect: 'manual',
    ...(method === 'POST' && { body: '{}' }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function asks(origins: readonly string[], path: string, addresses: readonly string[]): Promise<number[]> {
  const statuses = [];
  for (const [index, address] of addresses.entries())
    statuses.push(await ask(origins[index % origins.length] ?? '', path, address));
  return statuses;
}

const CONSENT = '/oauth/authorize?client_id=x';

describe.each(['/api/v2/health', '/trpc/public.health?input=%7B%7D', CONSENT])('%s', (path) => {
  it('counts an IPv6 /64 as one address, and another /64 as another', async () => {
    const world = await startWorld({ env });
    const addresses = ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:ffff::3', '2001:db8:1:3::1'];

    const statuses = await asks([world.url], path, addresses);

    expect(statuses.map((status) => status === 429)).toEqual([false, false, true, false]);
  });

  it.each([
    ['IPv4', ['203.0.113.7:51234', '203.0.113.7:51235', '203.0.113.7', '203.0.113.8:51234']],
    ['IPv6', ['[2001:db8:1:2::1]:443', '[2001:db8:1:2::2]', '2001:db8:1:2::3', '[2001:db8:1:3::1]:443']],
  ])('counts an %s address without the port that a proxy adds', async (_kind, addresses) => {
    const world = await startWorld({ env });

    const statuses = await asks([world.url], path, addresses);

    expect(statuses.map((status) => status === 429)).toEqual([false, false, true, false]);
  });

  it('trusts a proxy of TRUST_PROXY whose address has a port', async () => {
    const world = await startWorld({ env: { ...env, TRUST_PROXY: 'loopback, 10.0.0.0/8' } });
    const through = (address: string) => `${address}, 10.0.0.5:443`;
    const addresses = ['203.0.113.7:51234', '203.0.113.7:51235', '203.0.113.7', '203.0.113.8:51234'];

    const statuses = await asks([world.url], path, addresses.map(through));

    expect(statuses.map((status) => status === 429)).toEqual([false, false, true, false]);
  });

  it('counts all callers without a valid address as one', async () => {
    const world = await startWorld({ env });

    const statuses = await asks([world.url], path, ['unknown', '_hidden', '203.0.113.7:port', '203.0.113.7']);

    expect(statuses.map((status) => status === 429)).toEqual([false, false, true, false]);
  });
});

describe.runIf(TEST_DATABASE_URL)('two processes on one database', () => {
  async function secondProcess(world: World): Promise<string> {
    return (await serveApp(await startPeer(world))).url;
  }

  it.each(['/api/v2/health', '/api/v2/stats', CONSENT])('count %s together', async (path) => {
    const world = await startWorld({ env });
    const origins = [world.url, await secondProcess(world)];

    const statuses = await asks(origins, path, ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2']);

    expect(statuses.map((status) => status === 429)).toEqual([false, false, true, true, false]);
  });

  it('count registrations of clients together', async () => {
    const world = await startWorld({ env });
    const origins = [world.url, await secondProcess(world)];

    const statuses = [];
    for (let index = 0; index < 32; index += 1)
      statuses.push(await ask(origins[index % 2] ?? '', '/oauth/register', '192.0.2.1', 'POST'));

    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  });

  it('forget an address without recent requests', async () => {
    const world = await startWorld({ env });
    await ask(world.url, '/api/v2/health', '192.0.2.1');
    world.clock.advance(61_000);

    await world.housekeep();

    expect(await world.sql('select bucket from rate_limit_buckets')).toEqual([]);
    expect(await asks([world.url], '/api/v2/health', ['192.0.2.1', '192.0.2.1', '192.0.2.1'])).toEqual([200, 200, 429]);
  });
});

describe('while the database is unreachable', () => {
  const away = [
    ['fails', () => Promise.reject(new Error('connection refused'))],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ] as const;

  it.each(away)('and %s, a process counts alone, and retries the database after five seconds', async (_how, take) => {
    let asked = 0;
    const shared: RateLimiter = {
      limit: 2,
      take: () => {
        asked += 1;
        return take();
      },
    };
    const world = await startWorld();
    const overdue = { ...world.context.clock, deadline: () => AbortSignal.timeout(1) };
    const limiter = withFallback(shared, createMemoryRateLimiter(2), overdue);
    const start = world.clock.now().getTime();

    const allowed = [];
    for (const ms of [0, 1, 2, 5_000])
      allowed.push((await limiter.take('192.0.2.1 health', new Date(start + ms))).allowed);

    expect(allowed).toEqual([true, true, false, false]);
    expect(asked).toBe(2);
  });
});
