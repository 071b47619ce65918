/** The hosts and origins that /mcp accepts: its own and those of this machine. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../harness/world.ts';
import { callRaw, legacy } from './clients.ts';

const FOUR_HEADERS = ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

const PING = legacy('ping');

let world: World;
beforeAll(async () => {
  world = await startWorld();
});

describe('Host and Origin', () => {
  it.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'chrome-extension://localhost',
    'https://localhost:3000.evil.example',
  ])('refuses pages of %s before it checks the key', async (origin) => {
    const answer = await callRaw(world, { headers: { origin, 'x-api-key': undefined }, body: PING });

    expect(answer.status).toBe(403);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    for (const name of FOUR_HEADERS) expect(answer.headers).not.toHaveProperty(name);
  });

  it.each(['evil.example', '127.0.0.1.evil.example', 'localhost.:80'])('refuses the Host "%s"', async (host) => {
    expect((await callRaw(world, { headers: { host }, body: PING })).status).toBe(403);
  });

  it.each(['localhost', 'localhost:8080', '127.0.0.1:9', '[::1]:3000'])('accepts the Host %s', async (host) => {
    expect((await callRaw(world, { headers: { host }, body: PING })).status).toBe(200);
  });

  it.each(['http://localhost:3000', 'http://localhost:6274', 'https://127.0.0.1', 'http://[::1]:5173'])(
    'lets pages of %s read answers',
    async (origin) => {
      const preflight = await callRaw(world, {
        method: 'OPTIONS',
        headers: {
          origin,
          'x-api-key': undefined,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'mcp-protocol-version,x-api-key',
        },
      });
      const answer = await callRaw(world, { headers: { origin }, body: PING });

      expect(preflight.status).toBe(204);
      expect(preflight.headers['access-control-allow-headers']).toBe('mcp-protocol-version,x-api-key');
      for (const name of FOUR_HEADERS) expect(preflight.headers).not.toHaveProperty(name);
      expect(answer.status).toBe(200);
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
    },
  );

  it('accepts the public origin, and no other origin of that host', async () => {
    await using published = await startWorld({ env: { PUBLIC_URL: 'https://bells.example' } });
    const status = async (headers: Record<string, string>) =>
      (await callRaw(published, { headers, body: PING })).status;

    expect(await status({ host: 'bells.example', origin: 'https://bells.example' })).toBe(200);
    expect(await status({ host: 'bells.example:443' })).toBe(200);
    expect(await status({ host: 'bells.example', origin: 'http://bells.example' })).toBe(403);
    expect(await status({ host: 'bells.example', origin: 'https://bells.example:8443' })).toBe(403);
    expect(await status({ host: 'other.bells.example' })).toBe(403);
  });
});
