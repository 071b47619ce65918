/** A semaphore: limits how much work runs in parallel; the rest waits in order of arrival. */

export interface Semaphore {
  /** Runs `work` when a slot is free. */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
  /** How much work waits. */
  waiting(): number;
}

export function createSemaphore(atOnce: number): Semaphore {
  let running = 0;
  const line: (() => void)[] = [];
  return {
    take: async (work) => {
      if (running >= atOnce) await new Promise<void>((resolve) => line.push(resolve));
      else running += 1;
      try {
        return await work();
      } finally {
        const next = line.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
    waiting: () => line.length,
  };
}
