/** A connection as the wire shows it (spec: Connection). */
import type { Connection, QueueSlot } from '../../entities/connection.ts';
import { timestamp } from '../timestamp.ts';

export interface ConnectionView {
  id: string;
  slug: string;
  platformId: string;
  description: string;
  timezone: string;
  queueSlots: QueueSlot[];
  profileId: string | null;
  reconnectRequired: ReconnectRequired | null;
}

/** That an account has to be connected again, and why. */
export interface ReconnectRequired {
  since: string;
  reason: string;
}

export function connectionView(connection: Connection): ConnectionView {
  const { id, slug, platformId, description, timezone, queueSlots } = connection;
  const profileId = connection.profileId ?? null;
  return { id, slug, platformId, description, timezone, queueSlots, profileId, reconnectRequired: said(connection) };
}

function said({ reconnectSince, reconnectReason }: Connection): ReconnectRequired | null {
  if (reconnectSince === null || reconnectSince === undefined) return null;
  return { since: timestamp(reconnectSince), reason: reconnectReason ?? '' };
}
