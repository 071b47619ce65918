/** people.listSignIns, and what all operations for people have in common. */
import { describe, expect, it } from 'vitest';
import { operations } from '../../../routers/operations.ts';
import { consoleCalls } from '../../harness/console-calls.ts';
import { UUID } from '../../harness/expected.ts';
import { OWNER_ENV, signedInBrowser } from '../../harness/owner.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });

describe('people.listSignIns', () => {
  it('gives each browser of the person, newest first, and marks the one that asks', async () => {
    await signedInBrowser(world);
    const call = await consoleCalls(world);

    const { status, body } = await call('people.listSignIns');

    const signIn = {
      id: UUID,
      userAgent: expect.any(String),
      createdAt: world.clock.now().toISOString(),
      lastSeenAt: world.clock.now().toISOString(),
    };
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        signIns: [
          { ...signIn, isCurrent: true },
          { ...signIn, isCurrent: false },
        ],
      },
    });
  });
});

describe('an operation for people', () => {
  it('is unknown to keys, to REST and to the API document', async () => {
    const typed = await fetch(`${world.url}/trpc/people.listSignIns?input=%7B%7D`, {
      headers: { 'x-api-key': world.liveKey },
    });

    expect(typed.status).toBe(404);
    expect((await world.rest('GET /people')).status).toBe(404);
    expect(operations.map(({ name }) => name)).not.toContain('people.listSignIns');
  });

  it('counts for the rate limit of the person', async () => {
    const call = await consoleCalls(world);

    const remaining: number[] = [];
    for (const _call of [1, 2]) {
      const { headers } = await call('people.listSignIns');
      remaining.push(Number(headers.get('x-ratelimit-remaining')));
    }

    expect(remaining[0]).toBeGreaterThan(0);
    expect(remaining[1]).toBe((remaining[0] ?? 0) - 1);
  });
});
