/**
 * Several messages in one request, as the revisions before 2026-07-28 allow. Each one counts towards the rate limit.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../harness/world.ts';
import { callRaw, legacy } from './clients.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});

describe('a batch', () => {
  it('is answered message by message, and each counts', async () => {
    const before = Number((await callRaw(world, { body: legacy('ping') })).headers['x-ratelimit-remaining']);

    const answer = await callRaw(world, {
      body: `[${legacy('ping', {}, 1)},${legacy('tools/list', {}, 2)},${legacy('ping', {}, 3)}]`,
    });

    expect(answer.status).toBe(200);
    expect(answer.body.map(({ id }: { id: number }) => id).toSorted()).toEqual([1, 2, 3]);
    expect(Number(answer.headers['x-ratelimit-remaining'])).toBe(before - 3);
  });

  it('is refused when it has more than 50 messages', async () => {
    const answer = await callRaw(world, {
      body: JSON.stringify(Array.from({ length: 51 }, () => ({ jsonrpc: '2.0', id: 1, method: 'ping' }))),
    });

    expect(answer.status).toBe(400);
    expect(answer.body.error).toEqual({
      code: -32_600,
      message: 'A batch may carry at most 50 messages; this one has 51.',
    });
  });

  it('is processed as a whole or not at all', async () => {
    await using small = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '3' } });
    const posts = [1, 2, 3, 4].map((id) =>
      legacy(
        'tools/call',
        { name: 'create_post', arguments: { text: 'Ding', connectionSlugs: [small.sandboxSlug] } },
        id,
      ),
    );

    const over = await callRaw(small, { body: `[${posts.join(',')}]` });
    const within = await callRaw(small, { body: `[${posts.slice(0, 2).join(',')}]` });

    expect(over.status).toBe(429);
    expect(over.text).toBe('{"error":"too many requests"}');
    expect(over.headers).toHaveProperty('retry-after');
    expect(within.status).toBe(200);
    expect(within.headers['x-ratelimit-remaining']).toBe('0');
    expect(await small.sql('select id from posts')).toHaveLength(2);
  });
});
