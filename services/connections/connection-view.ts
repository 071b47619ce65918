/** A connection as the API returns it (docs/contract/connections.md#connections). */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Connection, QueueSlot, RewriteMode } from '../../entities/connection.ts';
import type { Context } from '../context.ts';
import { nextFreeSlot, readTakenSlots } from '../queue/slots.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';

export interface ConnectionView {
  id: string;
  slug: string;
  platformId: string;
  description: string;
  timezone: string;
  queueSlots: QueueSlot[];
  profileId: string | null;
  rewriteMode: RewriteMode;
  queuePaused: boolean;
  /** The slot that the next queued post would take. */
  nextSlotAt: string | null;
  reconnectRequired: ReconnectRequired | null;
}

/** The account must be reconnected, and why. */
export interface ReconnectRequired {
  since: string;
  reason: string;
}

/** @param em its transaction, if it has one, reads the connections */
export async function connectionViews(
  context: Context,
  em: SqlEntityManager,
  connections: readonly Connection[],
): Promise<ConnectionView[]> {
  const now = context.clock.now();
  const queues = connections.filter(({ queueSlots }) => queueSlots.length > 0).map(({ id }) => id);
  const taken = queues.length === 0 ? new Map<string, Set<number>>() : await readTakenSlots(em, queues, now);
  return connections.map((connection) => {
    const { id, slug, platformId, description, timezone, queueSlots, rewriteMode, queuePaused } = connection;
    const profileId = connection.profileId ?? null;
    const slot = nextFreeSlot({ slots: queueSlots, timezone, taken: taken.get(id) ?? new Set() }, now);
    return {
      id,
      slug,
      platformId,
      description,
      timezone,
      queueSlots,
      profileId,
      rewriteMode,
      queuePaused,
      nextSlotAt: timestampOrNull(slot),
      reconnectRequired: said(connection),
    };
  });
}

/** As {@link connectionViews}, for one connection. */
export async function connectionView(
  context: Context,
  em: SqlEntityManager,
  connection: Connection,
): Promise<ConnectionView> {
  const [view] = await connectionViews(context, em, [connection]);
  return view as ConnectionView;
}

function said({ reconnectSince, reconnectReason }: Connection): ReconnectRequired | null {
  if (reconnectSince === null || reconnectSince === undefined) return null;
  return { since: timestamp(reconnectSince), reason: reconnectReason ?? '' };
}
