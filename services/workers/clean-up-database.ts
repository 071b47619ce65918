/** Removes expired rows. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Attempt } from '../../entities/attempt.ts';
import { ReadPause } from '../../entities/read-pause.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { WINDOW_SECONDS } from '../limits/rate-limiter.ts';

/** A deletion without an outcome for this long was interrupted by the end of its process. */
const LOST_DELETE_MS = 600_000;

/** A pause of metrics reads is kept for this long after its end, because the next failure extends it. */
const PAUSES_KEPT_MS = 86_400_000;

export async function cleanUpDatabase(context: Context): Promise<void> {
  const now = context.clock.now().getTime();
  const em = context.db.em();
  const lost = { state: 'sending', step: 'delete', startedAt: { $lt: new Date(now - LOST_DELETE_MS) } } as const;
  await em.nativeUpdate(Attempt, lost, { state: 'unknown', settledAt: new Date(now) });
  await em.nativeDelete(ReadPause, { until: { $lte: new Date(now - PAUSES_KEPT_MS) } });
  if (context.db.engine === 'postgres') await removeCounts(em, new Date(now - WINDOW_SECONDS * 1000));
}

/** Removes the counts of requests that have left the window. */
async function removeCounts(em: SqlEntityManager, windowStart: Date): Promise<void> {
  const at = windowStart.toISOString();
  await tables(em).deleteFrom('rate_limit_hits').where('at', '<=', at).execute();
  // Addresses change often, so inactive buckets are removed too.
  await tables(em).deleteFrom('rate_limit_buckets').where('last_at', '<=', at).execute();
}
