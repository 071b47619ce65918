/**
 * scale: a hundred thousand scheduled posts, five thousand of which become due in one minute, over a thousand
 * connections and two workers.
 */
import { ahead, type Batch, type Fleet, outcomeOf, startFleet } from '../fleet.ts';
import { type Finding, latenessFinding, type Row } from '../row.ts';

const ACCOUNTS = 20;
const CONNECTIONS_EACH = 50;

/** Of the hundred posts of each connection, this many are not due for days. */
const WAITING_EACH = 95;
const DUE_EACH = 5;

/** Period over which those posts become due. */
const WAITING_MS = 30 * 86_400_000;

/** They begin to be due after the measurement. */
const WAITING_FROM_MS = 3_600_000;

/** Time to store the posts before the first is due. */
const SCHEDULING_MS = 8_000;

/** Upper limit of the 99th percentile. */
const TARGET_MS = 5_000;

export const scale: Row = {
  name: 'scale',
  run: async () => {
    await using fleet = await startFleet(Array.from({ length: ACCOUNTS }, () => CONNECTIONS_EACH));
    const slugs = fleet.slugs.flat();
    await fleet.schedule({ slugs, each: WAITING_EACH, due: ahead(WAITING_FROM_MS), overMs: WAITING_MS });
    await fleet.database.client.query('vacuum analyze');
    await using _first = await fleet.startWorker();
    await using _second = await fleet.startWorker();
    return [
      await measure(fleet, 'scale, one instant', { slugs, each: DUE_EACH, due: ahead(SCHEDULING_MS) }),
      await measure(fleet, 'scale, one minute', { slugs, each: DUE_EACH, due: ahead(SCHEDULING_MS), overMs: 60_000 }),
    ];
  },
};

async function measure(fleet: Fleet, row: string, batch: Batch): Promise<Finding> {
  await fleet.schedule(batch);
  if (Date.now() > batch.due.getTime()) throw new Error('scheduling took too long for this machine');
  const { lateMs, tookMs } = await outcomeOf(fleet.database, batch);
  return latenessFinding(row, lateMs, TARGET_MS, `, all sent once within ${(tookMs / 1000).toFixed(1)} s`);
}
