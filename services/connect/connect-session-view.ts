/** A connect session as the API returns it (docs/contract/connections.md#connect-sessions). */
import type { ConnectError, ConnectSession, ConnectSessionStatus } from '../../entities/connect-session.ts';
import { timestamp } from '../timestamp.ts';

export interface ConnectSessionView {
  id: string;
  profileId: string;
  platform: string | null;
  status: ConnectSessionStatus;
  connectionId: string | null;
  error: ConnectError | null;
  redirectUrl: string;
  headless: boolean;
  expiresAt: string;
  createdAt: string;
}

/** @param now decides whether a pending session has expired */
export function connectSessionView(session: ConnectSession, now: Date): ConnectSessionView {
  const { id, profileId, status, redirectUrl, headless, expiresAt, createdAt } = session;
  const isOver = status === 'pending' && expiresAt.getTime() <= now.getTime();
  return {
    id,
    profileId,
    platform: session.platform ?? null,
    status: isOver ? 'expired' : status,
    connectionId: session.connectionId ?? null,
    error: session.error ?? null,
    redirectUrl,
    headless,
    expiresAt: timestamp(expiresAt),
    createdAt: timestamp(createdAt),
  };
}
