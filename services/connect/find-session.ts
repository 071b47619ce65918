/** Finds the connect session of a browser: first by its link, which works once, then by the browser's own secret. */
import { ConnectSession } from '../../entities/connect-session.ts';
import type { Context } from '../context.ts';
import { hasHash, hashSecret } from '../secrets.ts';
import { newSecret } from './new-secret.ts';

/** Why a browser has no open session. `over`: its session has ended. */
export type NoSession =
  | { readonly kind: 'unknown' | 'used' | 'expired' | 'withdrawn' }
  | { readonly kind: 'over'; readonly session: ConnectSession };

export type FoundSession =
  /** `secret` is the new secret for the browser; null when the browser has it already. */
  { readonly kind: 'open'; readonly session: ConnectSession; readonly secret: string | null } | NoSession;

/** Returns the secret that a browser presents for a session; undefined when it presents none. */
export type SecretOf = (sessionId: string) => string | undefined;

/** Opens a link: the first browser gets the session, and keeps it. */
export async function openLink(context: Context, token: string, secretOf: SecretOf): Promise<FoundSession> {
  const session = await context.db.em().findOne(ConnectSession, { tokenHash: hashSecret(token) });
  if (session === null) return { kind: 'unknown' };
  const now = context.clock.now();
  if (session.usedAt === null && session.status === 'pending' && session.expiresAt > now) {
    const secret = newSecret(context);
    const binding = { usedAt: now, browserHash: hashSecret(secret) };
    // Of two browsers that open it at once, one gets it.
    const open = { id: session.id, usedAt: null, status: 'pending' as const };
    const bound = await context.db.em().nativeUpdate(ConnectSession, open, binding);
    return bound === 1 ? { kind: 'open', session, secret } : { kind: 'used' };
  }
  if (session.usedAt === null) return { kind: session.status === 'failed' ? 'withdrawn' : 'expired' };
  return isOf(session, secretOf) ? stateOf(context, session) : { kind: 'used' };
}

/** Finds the session that a browser has opened; the session of another browser counts as unknown. */
export async function findSession(context: Context, id: string, secretOf: SecretOf): Promise<FoundSession> {
  const session = await context.db.em().findOne(ConnectSession, { id });
  if (session === null || !isOf(session, secretOf)) return { kind: 'unknown' };
  return stateOf(context, session);
}

function stateOf(context: Context, session: ConnectSession): FoundSession {
  if (session.status === 'connected' || session.status === 'failed') return { kind: 'over', session };
  const isOpen = session.status === 'pending' && session.expiresAt > context.clock.now();
  return isOpen ? { kind: 'open', session, secret: null } : { kind: 'expired' };
}

function isOf({ id, browserHash }: ConnectSession, secretOf: SecretOf): boolean {
  const secret = secretOf(id);
  return secret !== undefined && browserHash !== null && browserHash !== undefined && hasHash(secret, browserHash);
}
