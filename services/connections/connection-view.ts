/** A connection as the wire shows it (spec: Connection). */
import type { Connection, QueueSlot } from '../../entities/connection.ts';

export interface ConnectionView {
  id: string;
  slug: string;
  platformId: string;
  description: string;
  timezone: string;
  queueSlots: QueueSlot[];
  profileId: string | null;
}

export function connectionView(connection: Connection): ConnectionView {
  const { id, slug, platformId, description, timezone, queueSlots } = connection;
  return { id, slug, platformId, description, timezone, queueSlots, profileId: connection.profileId ?? null };
}
