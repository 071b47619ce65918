/** Both rate limiters implement the same exact sliding window. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createMemoryRateLimiter } from '../../../services/limits/memory-rate-limiter.ts';
import { createPostgresRateLimiter } from '../../../services/limits/postgres-rate-limiter.ts';
import type { RateLimiter, RateState } from '../../../services/limits/rate-limiter.ts';
import { openTestDatabase, TEST_DATABASE_URL } from '../../harness/database.ts';

const START = Date.UTC(2026, 10, 21, 12);

/**
 * The simplest correct window (docs/contract/errors-and-limits.md#rate-limits): the instants of all accepted requests.
 */
function createModel(limit: number) {
  const accepted = new Map<string, number[]>();
  return (bucket: string, present: number): RateState => {
    const hits = (accepted.get(bucket) ?? []).filter((hit) => hit > present - 60_000);
    const allowed = hits.length < limit;
    if (allowed) hits.push(present);
    accepted.set(bucket, hits);
    return { allowed, limit, remaining: limit - hits.length, resetAt: Math.ceil((hits[0] ?? 0) / 1000) + 60 };
  };
}

/** Requests to two buckets, some at the same instant, some seconds apart, some after the whole window. */
const requests = fc.array(
  fc.record({
    bucket: fc.constantFrom('a', 'b'),
    waitMs: fc.oneof(
      { weight: 5, arbitrary: fc.constant(0) },
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 25_000 }) },
      { weight: 1, arbitrary: fc.constantFrom(59_999, 60_000, 60_001) },
    ),
  }),
  { minLength: 1, maxLength: 60 },
);

async function keepsToTheModel(createLimiter: () => RateLimiter, numRuns: number): Promise<void> {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(requests, async (sequence) => {
      run += 1;
      const limiter = createLimiter();
      const model = createModel(limiter.limit);
      let present = START;
      for (const { bucket, waitMs } of sequence) {
        present += waitMs;
        const state = await limiter.take(`${run} ${bucket}`, new Date(present));
        expect(state).toEqual(model(bucket, present));
      }
    }),
    { numRuns, seed: 1 },
  );
}

describe('in memory', () => {
  it('allows exactly what the window has room for', async () => {
    await keepsToTheModel(() => createMemoryRateLimiter(4), 200);
  });

  it('removes only buckets without recent requests', async () => {
    const limiter = createMemoryRateLimiter(1);
    await limiter.take('silent', new Date(START));
    await limiter.take('busy', new Date(START + 1));
    const later = new Date(START + 60_000);
    for (let count = 0; count < 10_000; count += 1) await limiter.take(`other ${count}`, later);

    const [silent, busy] = [await limiter.take('silent', later), await limiter.take('busy', later)];

    expect([silent.allowed, busy.allowed]).toEqual([true, false]);
  });

  it('counts nothing from the hour after, when the clock was set back', async () => {
    const limiter = createMemoryRateLimiter(2);
    const later = new Date(START + 3_600_000);
    for (let count = 0; count < 2; count += 1) await limiter.take('key', later);

    const states = [await limiter.take('key', new Date(START)), await limiter.take('key', new Date(START + 1))];

    const resetAt = START / 1000 + 60;
    expect(states).toEqual([
      { allowed: true, limit: 2, remaining: 1, resetAt },
      { allowed: true, limit: 2, remaining: 0, resetAt },
    ]);
  });
});

describe.runIf(TEST_DATABASE_URL)('on PostgreSQL', async () => {
  if (TEST_DATABASE_URL === undefined) return;
  const database = await openTestDatabase();
  afterAll(() => database.close());

  it('allows exactly what the window has room for', async () => {
    await keepsToTheModel(() => createPostgresRateLimiter(database, 4), 25);
  });

  it('does not exceed the limit for a hundred concurrent requests', async () => {
    const limiter = createPostgresRateLimiter(database, 60);

    const states = await Promise.all(Array.from({ length: 100 }, () => limiter.take('crowd', new Date(START))));

    expect(states.filter(({ allowed }) => allowed)).toHaveLength(60);
  });

  it('reads a few pages for a request, also on a connection that counted when the window was empty', async () => {
    await database.em().transactional(async (em) => {
      const run = (sql: string) => (em as SqlEntityManager).execute<Record<string, string>[]>(sql);
      const count = `select * from take_rate_limit('of 7', timestamptz '2026-11-21 12:00:01Z', 1, 1000, 60)`;
      await run('truncate rate_limit_hits');
      await run(count);
      await run('analyze rate_limit_hits');
      // A connection plans a statement anew five times, and then keeps a plan.
      for (let requests = 0; requests < 6; requests += 1) await run(count);
      await run(`insert into rate_limit_hits (bucket, at, number)
        select 'of ' || k, timestamptz '2026-11-21 12:00:00Z' + n * interval '1 ms', n + 6
        from generate_series(1, 100) k cross join generate_series(1, 200) n`);

      const plan = await run(`explain (analyze, buffers, costs off, timing off) ${count}`);

      const [, pages] = /shared hit=(\d+)/.exec(plan.map((row) => row['QUERY PLAN']).join('\n')) ?? [];
      expect(Number(pages)).toBeLessThan(60);
    });
  });
});
