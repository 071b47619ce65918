/** Removes expired rows, and runs the vacuum that the embedded database does not run automatically. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { WINDOW_SECONDS } from '../limits/rate-limiter.ts';

/** An Agenda job of a worker that has been inactive for this long belongs to a process that died. */
const DEAD_WORKER_MS = 86_400_000;

/** A deletion without an outcome for this long was interrupted by the end of its process. */
const LOST_DELETE_MS = 600_000;

/** A pause of metrics reads is kept for this long after its end, because the next failure extends it. */
const PAUSES_KEPT_MS = 86_400_000;

const CLOSE_LOST_DELETES = `
  update attempts set state = 'unknown', settled_at = $1
  where state = 'sending' and step = 'delete' and started_at < $2`;

export async function tidyDatabase(context: Context): Promise<void> {
  const now = context.clock.now().getTime();
  await query(context.db.em(), CLOSE_LOST_DELETES, [new Date(now), new Date(now - LOST_DELETE_MS)]);
  await query(context.db.em(), 'delete from read_pauses where until <= $1', [new Date(now - PAUSES_KEPT_MS)]);
  if (context.db.engine === 'postgres') {
    const windowStart = new Date(now - WINDOW_SECONDS * 1000);
    await query(context.db.em(), 'delete from rate_limit_hits where at <= $1', [windowStart]);
    // Addresses change often, so inactive buckets are removed too.
    await query(context.db.em(), 'delete from rate_limit_buckets where last_at <= $1', [windowStart]);
  } else {
    // PGlite runs no autovacuum.
    await query(context.db.em(), 'vacuum analyze');
  }
  const silentSince = new Date(now - DEAD_WORKER_MS);
  const [agenda] = await query<{ there: boolean }>(
    context.db.em(),
    `select to_regclass('agenda_jobs') is not null as there`,
  );
  if (agenda?.there) await query(context.db.em(), 'delete from agenda_jobs where last_run_at < $1', [silentSince]);
}
