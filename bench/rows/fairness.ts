/** fairness: how one connection or one account with thousands of due posts affects the few posts of others. */
import { ahead, type Batch, outcomeOf, startFleet } from '../fleet.ts';
import { type Finding, latenessFinding, type Row } from '../row.ts';

/** The platform's time for a post of the backlog, so that the backlog lasts for seconds. */
const DIRECTIVE = '[[slow 200]]';

/** How long after the backlog the posts of the others are due. */
const LATER_MS = 1_000;

/** Time to store the posts before the first is due. */
const SCHEDULING_MS = 8_000;

/** Upper limit of the 99th percentile of the others. */
const TARGET_MS = 2_000;

export const fairness: Row = {
  name: 'fairness',
  run: async () => [
    await measure('fairness, one connection', { connections: 1, each: 3_000, others: 100 }),
    await measure('fairness, one account', { connections: 1_000, each: 3, others: 50 }),
  ],
};

/** The connections of the account with the backlog, the posts of each, and how many others have one post each. */
interface Workload {
  readonly connections: number;
  readonly each: number;
  readonly others: number;
}

async function measure(row: string, { connections, each, others }: Workload): Promise<Finding> {
  await using fleet = await startFleet([connections, ...Array.from({ length: others }, () => 1)]);
  await using _worker = await fleet.startWorker();
  const [slugs = [], ...rest] = fleet.slugs;
  const due = ahead(SCHEDULING_MS);
  const backlog: Batch = { slugs, each, due, directive: DIRECTIVE };
  const few: Batch = { slugs: rest.flat(), each: 1, due: new Date(due.getTime() + LATER_MS) };
  await fleet.schedule(few);
  await fleet.schedule(backlog);
  if (Date.now() > due.getTime()) throw new Error('scheduling took too long for this machine');
  const { lateMs } = await outcomeOf(fleet.database, few);
  const { tookMs } = await outcomeOf(fleet.database, backlog);
  return latenessFinding(row, lateMs, TARGET_MS, `, beside a backlog of ${(tookMs / 1000).toFixed(1)} s`);
}
