/** Keeps checking in every process whether the database is a restored backup, and advances the beat that shows it. */
import type { Context } from '../services/context.ts';
import type { WithRestoreWatch } from '../services/restores/restore-watch.ts';

/** A backup is recognized once it is older than this. */
const EVERY_MS = 5_000;

/** Resolves once `stopped` has aborted. A database that does not answer is asked again. */
export async function watchRestores(context: Context & WithRestoreWatch, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    await context.restores.beat().catch(() => undefined);
    await context.clock.sleep(EVERY_MS, stopped).catch(() => undefined);
  }
}
