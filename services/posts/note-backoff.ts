/** Notes for how long a platform asked to be left alone on a connection. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';

/** Longest that a platform is left alone at its own request. */
const BACKOFF_MAX_MS = 24 * 3_600_000;

const NOTE = `
  update connections set backoff_until = greatest(backoff_until, $2) where id = $1 and deleted_at is null`;

/** Until when the connection is left alone; null when the platform did not ask for it. */
export function backoffUntil(now: Date, retryAfterMs: number | null | undefined): Date | null {
  if (retryAfterMs === null || retryAfterMs === undefined) return null;
  return new Date(now.getTime() + Math.min(retryAfterMs, BACKOFF_MAX_MS));
}

/** @param retryAfterMs milliseconds from now on; undefined when the platform did not ask for it, and then nothing is written */
export async function noteBackoff(
  context: Context,
  connectionId: string,
  retryAfterMs: number | undefined,
): Promise<void> {
  const until = backoffUntil(context.clock.now(), retryAfterMs);
  if (until !== null) await query(context.db.em(), NOTE, [connectionId, until]);
}
