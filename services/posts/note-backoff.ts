/** Stores how long a platform asked us to back off on a connection. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';

/** Maximum backoff that a platform can request. */
const BACKOFF_MAX_MS = 24 * 3_600_000;

const NOTE = `
  update connections set backoff_until = greatest(backoff_until, $2) where id = $1 and deleted_at is null`;

/** End of the connection's backoff; null when the platform requested none. */
export function backoffUntil(now: Date, retryAfterMs: number | null | undefined): Date | null {
  if (retryAfterMs === null || retryAfterMs === undefined) return null;
  return new Date(now.getTime() + Math.min(retryAfterMs, BACKOFF_MAX_MS));
}

/**
 * @param retryAfterMs milliseconds from now; undefined when the platform requested no backoff, and then nothing is
 *   written
 */
export async function noteBackoff(
  context: Context,
  connectionId: string,
  retryAfterMs: number | undefined,
): Promise<void> {
  const until = backoffUntil(context.clock.now(), retryAfterMs);
  if (until !== null) await query(context.db.em(), NOTE, [connectionId, until]);
}
