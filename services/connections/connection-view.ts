/** A connection as the API returns it (docs/contract/connections.md#connections). */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Connection, QueueSlot } from '../../entities/connection.ts';
import type { Context } from '../context.ts';
import { nextFreeSlot, readTakenSlots } from '../scheduling/slots.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';

/** The wire format: routers/schemas/connection.ts satisfies it. */
export type ConnectionView = ReturnType<typeof viewOf>;

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
    const { id, queueSlots: slots, timezone } = connection;
    return viewOf(connection, nextFreeSlot({ slots, timezone, taken: taken.get(id) ?? new Set() }, now));
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

/** PostgreSQL does not keep the order of fields in JSON. */
export function slotsInOrder(slots: readonly QueueSlot[]): QueueSlot[] {
  return slots.map(({ weekday, time }) => ({ weekday, time }));
}

/** @param nextSlot the slot that the next queued post would take */
function viewOf(connection: Connection, nextSlot: Date | null) {
  const { id, slug, platformId, description, timezone, queueSlots, rewriteMode, queuePaused } = connection;
  return {
    id,
    slug,
    platformId,
    handle: connection.handle,
    description,
    timezone,
    queueSlots: slotsInOrder(queueSlots),
    profileId: connection.profileId ?? null,
    rewriteMode,
    queuePaused,
    nextSlotAt: timestampOrNull(nextSlot),
    reconnectRequired: reconnectRequired(connection),
    credentialRenewsAt: timestampOrNull(connection.renewAt ?? null),
    credentialEndsAt: timestampOrNull(connection.credentialEndsAt ?? null),
    createdAt: timestamp(connection.createdAt),
  };
}

/** Since when the account must be reconnected, and why; null when it need not. */
function reconnectRequired({ reconnectSince, reconnectReason }: Connection) {
  if (reconnectSince === null || reconnectSince === undefined) return null;
  return { since: timestamp(reconnectSince), reason: reconnectReason ?? '' };
}
