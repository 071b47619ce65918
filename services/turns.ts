/** A line in which work waits for its turn: so much runs side by side, the rest in the order in which it came. */

export interface Turns {
  /** Runs `work` when it is its turn. */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
  /** How many wait. */
  waiting(): number;
}

export function createTurns(atOnce: number): Turns {
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
