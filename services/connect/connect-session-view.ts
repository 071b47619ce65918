/** A connect session as the API returns it (docs/contract/connections.md#connect-sessions). */
import type { ConnectError, ConnectSession, ConnectSessionStatus } from '../../entities/connect-session.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';

export interface ConnectSessionView {
  id: string;
  profileId: string | null;
  platform: string | null;
  status: ConnectSessionStatus;
  connectionId: string | null;
  reconnectConnectionId: string | null;
  error: ConnectError | null;
  redirectUrl: string;
  headless: boolean;
  openedAt: string | null;
  expiresAt: string;
  createdAt: string;
}

/** @param now decides whether a pending session has expired */
export function connectSessionView(session: ConnectSession, now: Date): ConnectSessionView {
  const { id, status, redirectUrl, headless, expiresAt, createdAt } = session;
  const isOver = status === 'pending' && expiresAt.getTime() <= now.getTime();
  return {
    id,
    profileId: session.profileId ?? null,
    platform: session.platform ?? null,
    status: isOver ? 'expired' : status,
    connectionId: session.connectionId ?? null,
    reconnectConnectionId: session.reconnectConnectionId ?? null,
    error: session.error ?? null,
    redirectUrl,
    headless,
    openedAt: timestampOrNull(session.usedAt ?? null),
    expiresAt: timestamp(expiresAt),
    createdAt: timestamp(createdAt),
  };
}
