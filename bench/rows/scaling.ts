/** scaling: a backlog on a slow platform, for two workers against one. */
import { ahead, type Batch, type Fleet, outcomeOf, startFleet } from '../fleet.ts';
import type { BenchProcess } from '../processes.ts';
import { alternate } from '../rounds.ts';
import type { Row } from '../row.ts';

const CONNECTIONS = 60;
const EACH = 100;

/** The platform's time for a post. */
const DIRECTIVE = '[[slow 20]]';

/** Time to store the posts before they are due. */
const SCHEDULING_MS = 8_000;

export const scaling: Row = {
  name: 'scaling',
  run: async () => {
    await using fleet = await startFleet(Array.from({ length: CONNECTIONS }, () => 1));
    const [ours, baseline] = [() => drainWith(fleet, 2), () => drainWith(fleet, 1)];
    await baseline();
    return [
      await alternate({ row: 'scaling, 2 workers to 1', ours, baseline, unit: 'posts/s', target: 1.7, rounds: 3 }),
    ];
  },
};

/** Gives posts per second, counted from the instant they are due. */
async function drainWith(fleet: Fleet, workers: number): Promise<number> {
  await using started = new AsyncDisposableStack();
  const starts = Array.from({ length: workers }, () => fleet.startWorker());
  for (const worker of await Promise.all(starts)) started.use<BenchProcess>(worker);
  const batch: Batch = { slugs: fleet.slugs.flat(), each: EACH, due: ahead(SCHEDULING_MS), directive: DIRECTIVE };
  await fleet.schedule(batch);
  if (Date.now() > batch.due.getTime()) throw new Error('scheduling took too long for this machine');
  const { tookMs } = await outcomeOf(fleet.database, batch);
  return (batch.slugs.length * EACH) / (tookMs / 1000);
}
