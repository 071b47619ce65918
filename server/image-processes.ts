/** The pool of image processes. Processes start when there is work, are reused, and end after an idle period. */
import type { Clock } from '../services/clock.ts';
import { DecodeTimeout, type ImageProcesses, ImageProcessNotStarted } from '../services/images/image-job.ts';
import { type ImageProcess, startImageProcess } from './image-process.ts';

/**
 * Real milliseconds after which an idle process ends. It holds some 60 MB, and starting one takes a fraction of a
 * second.
 */
const IDLE_MS = 30_000;

/** Real milliseconds that one image may take. */
const DECODE_MS = 15_000;

/** Real milliseconds that a start may take, even on a busy machine. */
const START_MS = 30_000;

export function createImageProcesses(clock: Clock): ImageProcesses {
  const all = new Set<ImageProcess>();
  /** Idle processes, each with a function that cancels its end. */
  const idle = new Map<ImageProcess, () => void>();
  let isClosed = false;

  const start = () => {
    const started = startImageProcess(() => {
      all.delete(started);
      idle.get(started)?.();
      idle.delete(started);
    });
    all.add(started);
    return started;
  };

  const rest = (process: ImageProcess) => {
    const end = () => process.kill();
    const signal = clock.deadline(IDLE_MS);
    signal.addEventListener('abort', end, { once: true });
    idle.set(process, () => signal.removeEventListener('abort', end));
  };

  const takeIdle = () => {
    const [found] = idle;
    if (found === undefined) return undefined;
    const [process, keep] = found;
    idle.delete(process);
    keep();
    return process;
  };

  return {
    run: async (job, signal) => {
      if (isClosed) throw new Error('the image processes have been closed');
      const process = takeIdle() ?? start();
      const starting = clock.deadline(START_MS, signal);
      const deadline = () => clock.deadline(DECODE_MS, signal);
      try {
        await endingAt(process, starting, process.ready.catch(notStarted));
        const answer = await endingAt(process, deadline(), process.call(job));
        rest(process);
        return answer;
      } catch (error) {
        process.kill();
        signal?.throwIfAborted();
        throw error;
      }
    },
    decodeMs: DECODE_MS,
    close: () => {
      isClosed = true;
      for (const process of all) process.kill();
    },
  };
}

function notStarted(cause: unknown): never {
  throw new ImageProcessNotStarted('an image process did not start', { cause });
}

/** Waits for `work`, and kills the process when the signal aborts first. */
async function endingAt<Result>(process: ImageProcess, signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => {
    process.kill();
    aborted.reject(new DecodeTimeout('an image took too long'));
  };
  work.catch(() => undefined);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
