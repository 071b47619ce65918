/** Runs one round of a loop and records its result for /health. */
import { recordRun } from '../services/workers/record-run.ts';
import type { Loop, LoopContext } from './loop.ts';

/** @returns how many units of work were started; 0 when the round failed, which is logged and recorded */
export async function runRound(context: LoopContext, loop: Loop, signal: AbortSignal): Promise<number> {
  try {
    const begun = await loop.run(context, signal);
    await recordRun(context, loop.name, null);
    return begun;
  } catch (error) {
    context.log.error({ loop: loop.name, err: error }, 'a worker loop failed');
    await recordRun(context, loop.name, error instanceof Error ? error : new Error(String(error))).catch(
      () => undefined,
    );
    return 0;
  }
}
