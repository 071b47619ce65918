/** Starts the worker of an embedded install after its first requests (docs/decisions/0139-answer-requests-before-the-loops-start.md). */
import type { LoopContext } from './loop.ts';
import { startWorker, type Worker } from './worker.ts';

/** The first rounds of all loops occupy an embedded engine for up to half a second. Requests are answered before. */
const REQUESTS_FIRST_MS = 250;

/** A start fails when the database takes no writes, as on a full disk. */
const AGAIN_AFTER_MS = 10_000;

export function startWorkerSoon(context: LoopContext): Worker {
  const stopping = new AbortController();
  const starting = startWhenPossible(context, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await (await starting)?.stop();
    },
  };
}

/** @returns null when it was stopped before */
async function startWhenPossible(context: LoopContext, stopped: AbortSignal): Promise<Worker | null> {
  for (let waitMs = REQUESTS_FIRST_MS; ; waitMs = AGAIN_AFTER_MS) {
    await context.clock.sleep(waitMs, stopped).catch(() => undefined);
    if (stopped.aborted) return null;
    try {
      return await startWorker(context);
    } catch (error) {
      context.log.error({ err: error }, 'the worker could not start; it starts again in 10 seconds');
    }
  }
}
