/**
 * The sliding window in an unlogged table: exact across all processes, with one round trip for all requests that are
 * counted together.
 */
import type { Database } from '../../entities/orm.ts';
import { query } from '../../entities/query.ts';
import { type RateLimiter, type RateState, resetAfter, WINDOW_SECONDS } from './rate-limiter.ts';

/** A row of the function `take_rate_limit`. */
export interface RateRow {
  /** How many of the requests were accepted, in order. */
  accepted: number;
  /** Requests in the window before these. */
  used: number;
  oldest: string;
}

/** Reads the function's result for the request at `index` of those counted together. */
export function rateStateOf(row: RateRow, limit: number, index = 0): RateState {
  const allowed = index < row.accepted;
  const remaining = limit - row.used - Math.min(index + 1, row.accepted);
  return { allowed, limit, remaining, resetAt: resetAfter(new Date(row.oldest)) };
}

export function createPostgresRateLimiter(db: Database, limit: number): RateLimiter {
  return {
    limit,
    sqlFunction: 'take_rate_limit',
    take: async (bucket, now) => {
      const sql = 'select * from take_rate_limit($1, $2, 1, $3, $4)';
      const [row] = await query<RateRow>(db.em(), sql, [bucket, now, limit, WINDOW_SECONDS]);
      if (row === undefined) throw new Error('take_rate_limit returned no row');
      return rateStateOf(row, limit);
    },
  };
}
