/** Reads the free queue slots that a calendar shows. */
import { Connection } from '../../entities/connection.ts';
import type { Caller } from '../access/caller.ts';
import { reachableConnections } from '../connections/reachable-connections.ts';
import type { Context } from '../context.ts';
import { HORIZON_MS } from '../scheduling/horizon.ts';
import { slotTimes } from '../scheduling/slot-times.ts';
import { readQueues } from '../scheduling/slots.ts';

/** Most free slots that a calendar shows, the earliest of all connections. */
export const FREE_SLOTS_MAX = 500;

/** Most connections whose slots are computed, the oldest ones. */
const CONNECTIONS_MAX = 200;

export interface FreeSlot {
  readonly connectionId: string;
  readonly connectionSlug: string;
  readonly at: Date;
}

/** @param connectionId null for all */
export async function readFreeSlots(
  context: Context,
  reader: Caller,
  connectionId: string | null,
): Promise<FreeSlot[]> {
  const em = context.db.em();
  const now = context.clock.now();
  const where = {
    ...Object(reachableConnections(reader)),
    queuePaused: false,
    ...(connectionId !== null && { id: connectionId }),
  };
  const options = { fields: ['id'], orderBy: { id: 'asc' }, limit: CONNECTIONS_MAX } as const;
  const connections = await em.find(Connection, where, options);
  const ids = connections.map(({ id }) => id);
  const queues = [...(await readQueues(em, ids, now)).values()];
  const until = new Date(+now + HORIZON_MS);
  const slots = queues.flatMap(({ connectionId: id, slug, slots: weekly, timezone, taken }) =>
    [...slotTimes(weekly, timezone, now, until)]
      .filter((at) => !taken.has(at.getTime()))
      .slice(0, FREE_SLOTS_MAX)
      .map((at) => ({ connectionId: id, connectionSlug: slug, at })),
  );
  return slots.toSorted((a, b) => +a.at - +b.at).slice(0, FREE_SLOTS_MAX);
}
