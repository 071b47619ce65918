/**
 * The sliding window in an unlogged table: exact across all processes, with one round trip for all requests that are
 * counted together.
 */
import type { Database } from '../../entities/orm.ts';
import { statement } from '../../entities/statement.ts';
import { type RateLimiter, type RateState, resetAfter, WINDOW_SECONDS } from './rate-limiter.ts';

/** The parts of a statement that counts requests. */
export const RATE_LIMIT = {
  parameters: { now: 'timestamptz', requests: 'int', limit: 'int', windowSeconds: 'int' },
  result: {
    /** How many of the requests were accepted, in order. */
    accepted: 'int',
    /** Requests in the window before these. */
    used: 'int',
    oldest: 'timestamptz',
  },
  /** Calls the function that counts; it returns one row. */
  count: (bucket: string, given: Readonly<Record<'now' | 'requests' | 'limit' | 'windowSeconds', string>>) =>
    `take_rate_limit(${bucket}, ${given.now}, ${given.requests}, ${given.limit}, ${given.windowSeconds})`,
} as const;

/** What the function returns. */
export interface RateRow {
  readonly accepted: number;
  readonly used: number;
  readonly oldest: string;
}

const countRequests = statement('count requests', {
  parameters: { bucket: 'text', ...RATE_LIMIT.parameters },
  result: RATE_LIMIT.result,
  sql: ({ bucket, ...given }) => `select accepted, used, oldest from ${RATE_LIMIT.count(bucket, given)}`,
});

/** Reads the function's result for the request at `index` of those counted together. */
export function rateStateOf(row: RateRow, limit: number, index = 0): RateState {
  const allowed = index < row.accepted;
  const remaining = limit - row.used - Math.min(index + 1, row.accepted);
  return { allowed, limit, remaining, resetAt: resetAfter(new Date(row.oldest)) };
}

export function createPostgresRateLimiter(db: Database, limit: number): RateLimiter {
  return {
    limit,
    countsInDatabase: true,
    take: async (bucket, now) => {
      const given = { bucket, now, requests: 1, limit, windowSeconds: WINDOW_SECONDS };
      const [row] = await countRequests(db.queries, given);
      if (row === undefined) throw new Error('take_rate_limit returned no row');
      return rateStateOf(row, limit);
    },
  };
}
