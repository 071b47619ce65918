/** Browsers of every origin may call the API, because it authenticates by header and sets no cookies. */
import { describe, expect, it } from 'vitest';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();
const ORIGIN = 'https://app.example.com';

describe('a preflight', () => {
  it.each(['/api/v2/posts', '/api/v2/post/sandbox', '/api/v2/nothing', '/api/v2/openapi.json', '/trpc/posts.list'])(
    'is answered without a key and without a body: %s',
    async (path) => {
      const response = await fetch(`${world.url}${path}`, {
        method: 'OPTIONS',
        headers: {
          origin: ORIGIN,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-api-key, content-type',
        },
      });

      expect(response.status).toBe(204);
      expect(await response.text()).toBe('');
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
      expect(response.headers.get('access-control-max-age')).toBe('86400');
    },
  );

  it('allows every method and every header that the API reads', async () => {
    const { headers } = await world.rest('OPTIONS /posts', { key: null, headers: { origin: ORIGIN } });

    const list = (name: string) => headers.get(name)?.toLowerCase().split(', ');
    expect(list('access-control-allow-methods')).toEqual(expect.arrayContaining(['get', 'post', 'patch', 'delete']));
    expect(list('access-control-allow-headers')).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'x-api-key']),
    );
  });
});

describe('a response', () => {
  it.each<[number, string, `${string} /${string}`, string | null]>([
    [200, 'good', 'GET /posts', world.liveKey],
    [401, 'unauthorized', 'GET /posts', null],
    [404, 'not found', 'GET /nothing', world.liveKey],
    [400, 'refused', 'GET /posts?limit=ten', world.liveKey],
    [200, 'public', 'GET /health', null],
    [200, 'the document', 'GET /openapi.json', null],
  ])(
    '%i, %s, is readable for every origin and exposes the four headers and Retry-After',
    async (expected, _case, call, key) => {
      const { status, headers } = await world.rest(call, { key, headers: { origin: ORIGIN } });

      expect(status).toBe(expected);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')).toBe(
        'x-request-id, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after',
      );
      expect(headers.get('set-cookie')).toBeNull();
    },
  );
});
