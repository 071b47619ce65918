/**
 * Limits by address: exact across all processes while the database answers
 * (docs/contract/errors-and-limits.md#limits-by-address). When it does not, each process counts separately, so that
 * endpoints without database access still answer.
 */
import type { Database } from '../../entities/orm.ts';
import type { Clock } from '../clock.ts';
import { createMemoryRateLimiter } from './memory-rate-limiter.ts';
import { createPostgresRateLimiter } from './postgres-rate-limiter.ts';
import type { RateLimiter, RateState } from './rate-limiter.ts';

/** Timeout of the database for counting, in real milliseconds. */
const TIMEOUT_MS = 2_000;

/** Milliseconds during which a database that has not answered is not called again. */
const AWAY_MS = 5_000;

/** @param limit requests in the window, for each bucket; a bucket is named `<machine> <group>` */
export function createPublicRateLimiter(db: Database, clock: Clock, limit: number): RateLimiter {
  const own = createMemoryRateLimiter(limit);
  // The embedded database serves a single process.
  if (db.engine === 'pglite') return own;
  return withFallback(createPostgresRateLimiter(db, limit), own, clock);
}

/** Exported for tests: uses `shared` until it fails or times out, then `own` for a while. */
export function withFallback(shared: RateLimiter, own: RateLimiter, clock: Clock): RateLimiter {
  let awayUntil = 0;
  return {
    limit: own.limit,
    take: async (bucket, now) => {
      if (now.getTime() < awayUntil) return own.take(bucket, now);
      const counted = await inTime(shared.take(bucket, now), clock);
      if (counted !== null) return counted;
      awayUntil = now.getTime() + AWAY_MS;
      return own.take(bucket, now);
    },
  };
}

/** Null when it fails or times out. */
function inTime(counting: Promise<RateState>, clock: Clock): Promise<RateState | null> {
  const deadline = clock.deadline(TIMEOUT_MS);
  const { promise, resolve } = Promise.withResolvers<RateState | null>();
  if (deadline.aborted) resolve(null);
  deadline.addEventListener('abort', () => resolve(null), { once: true });
  counting.then(resolve, () => resolve(null));
  return promise;
}
