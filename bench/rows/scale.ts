/** scale: a hundred thousand posts wait, and five thousand of them fall due in one minute, over a thousand connections and two workers. */
import { ahead, type Batch, type Fleet, outcomeOf, startFleet } from '../fleet.ts';
import { type Finding, latenessFinding, type Row } from '../row.ts';

const ACCOUNTS = 20;
const CONNECTIONS_EACH = 50;

/** Of a connection's hundred posts, so many are not due for days. */
const WAITING_EACH = 95;
const DUE_EACH = 5;

/** Span over which the others wait. */
const WAITING_MS = 30 * 86_400_000;

/** They begin to be due after all is measured. */
const WAITING_FROM_MS = 3_600_000;

/** Time for the posts to be stored before the first falls due. */
const SCHEDULING_MS = 8_000;

/** Latest 99th percentile. */
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
