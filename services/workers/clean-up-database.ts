/** Settles deletions that were interrupted, and runs the vacuum that the embedded database does not run automatically. */
import { Attempt } from '../../entities/attempt.ts';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';

/** A deletion without an outcome for this long was interrupted by the end of its process. */
const LOST_DELETE_MS = 600_000;

// PGlite runs no autovacuum.
const vacuum = statement('vacuum the embedded database', { sql: () => 'vacuum analyze' });

export async function cleanUpDatabase(context: Context): Promise<void> {
  const now = context.clock.now().getTime();
  const em = context.db.em();
  const lost = { state: 'sending', step: 'delete', startedAt: { $lt: new Date(now - LOST_DELETE_MS) } } as const;
  await em.nativeUpdate(Attempt, lost, { state: 'unknown', settledAt: new Date(now) });
  if (context.db.engine === 'pglite') await vacuum(em);
}
