/**
 * scaling: a backlog on a slow platform, for two workers against one. With a platform that takes 20 ms, the work of claiming
 * and settling limits them. With 400 ms, nearer to what platforms take, two workers leave a small machine cores to spare.
 */
import { ahead, type Batch, type Fleet, outcomeOf, startFleet } from '../fleet.ts';
import type { BenchProcess } from '../processes.ts';
import { alternate } from '../rounds.ts';
import type { Finding, Row } from '../row.ts';

const CONNECTIONS = 60;

interface Backlog {
  /** The platform's time for a post, in milliseconds. */
  readonly platformMs: number;
  /** Posts for each connection. */
  readonly each: number;
}

const BACKLOGS: readonly Backlog[] = [
  { platformMs: 20, each: 100 },
  { platformMs: 400, each: 50 },
];

/** Time to store the posts before they are due. */
const SCHEDULING_MS = 8_000;

export const scaling: Row = {
  name: 'scaling',
  run: async () => {
    await using fleet = await startFleet(Array.from({ length: CONNECTIONS }, () => 1));
    const findings: Finding[] = [];
    for (const backlog of BACKLOGS) {
      const [ours, baseline] = [() => drainWith(fleet, 2, backlog), () => drainWith(fleet, 1, backlog)];
      await baseline();
      const row = `scaling, 2 workers to 1, platform takes ${backlog.platformMs} ms`;
      findings.push(await alternate({ row, ours, baseline, unit: 'posts/s', target: 1.7, rounds: 3 }));
    }
    return findings;
  },
};

/** Gives posts per second, counted from the instant they are due. */
async function drainWith(fleet: Fleet, workers: number, { platformMs, each }: Backlog): Promise<number> {
  await using started = new AsyncDisposableStack();
  const starts = Array.from({ length: workers }, () => fleet.startWorker());
  for (const worker of await Promise.all(starts)) started.use<BenchProcess>(worker);
  const batch: Batch = {
    slugs: fleet.slugs.flat(),
    each,
    due: ahead(SCHEDULING_MS),
    directive: `[[slow ${platformMs}]]`,
  };
  await fleet.schedule(batch);
  if (Date.now() > batch.due.getTime()) throw new Error('scheduling took too long for this machine');
  const { tookMs } = await outcomeOf(fleet.database, batch);
  return (batch.slugs.length * each) / (tookMs / 1000);
}
