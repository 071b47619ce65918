/**
 * Stores an account that its platform has accepted where the session says, and completes the session. An account that
 * is already there keeps its id, slug and queue: only its credential is replaced, and no event is emitted.
 */
import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Connection } from '../../entities/connection.ts';
import { ConnectSession } from '../../entities/connect-session.ts';
import { Profile } from '../../entities/profile.ts';
import type { AnyPlatform, ConnectedAccount } from '../../platforms/contract.ts';
import { recordChange } from '../audit/record-change.ts';
import { addConnection } from '../connections/add-connection.ts';
import { relinkAccount } from '../connections/relink-account.ts';
import type { Context } from '../context.ts';
import { reconnectAccount } from './reconnect-account.ts';

/** Maximum number of tries when another request takes the slug, or links the same account, meanwhile. */
const TRIES = 5;

/** Does nothing to a session that has ended meanwhile. Fails a session whose profile was deleted. */
export async function linkAccount(
  context: Context,
  sessionId: string,
  platform: AnyPlatform,
  account: ConnectedAccount<unknown>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await context.db.em().transactional((em) => store(em, context, sessionId, platform, account));
      return;
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException) || tries === TRIES) throw error;
    }
  }
}

async function store(
  em: SqlEntityManager,
  context: Context,
  sessionId: string,
  platform: AnyPlatform,
  account: ConnectedAccount<unknown>,
): Promise<void> {
  const open = { id: sessionId, status: 'pending' as const, expiresAt: { $gt: context.clock.now() } };
  const session = await em.findOne(ConnectSession, open, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (session === null) return;
  session.flow = null;
  const profile = await lockProfile(em, session);
  const connection = profile === null ? null : await storeConnection(em, context, session, { platform, account });
  if (profile === null || connection === null) {
    Object.assign(session, { status: 'failed', error: 'connect_failed' });
  } else {
    Object.assign(session, { status: 'connected', connectionId: connection.id });
    await recordLinkAudit(em, context, session, { customer: profile.name, connectionId: connection.id });
  }
  await em.flush();
}

/** What the audit calls the person at the link when there is no profile. */
const NO_PROFILE = { name: 'own accounts' };

/** The session's profile; null when it was deleted meanwhile. */
async function lockProfile(
  em: SqlEntityManager,
  { profileId, accountId }: ConnectSession,
): Promise<{ readonly name: string } | null> {
  if (profileId == null) return NO_PROFILE;
  const living = { id: profileId, accountId, deletedAt: null };
  return em.findOne(Profile, living, { lockMode: LockMode.PESSIMISTIC_READ });
}

/** @returns null when the connection that was to be connected again is gone */
async function storeConnection(
  em: SqlEntityManager,
  context: Context,
  session: ConnectSession,
  linked: { readonly platform: AnyPlatform; readonly account: ConnectedAccount<unknown> },
): Promise<Connection | null> {
  const { id, accountId, mode, reconnectConnectionId } = session;
  const profileId = session.profileId ?? null;
  if (reconnectConnectionId != null) {
    return reconnectAccount(em, context, linked, { id: reconnectConnectionId, accountId, profileId });
  }
  return (
    (await relinkAccount(em, context, linked, { accountId, profileId })) ??
    (await addConnection(em, context, { accountId, mode }, { ...linked, profileId, connectSessionId: id }))
  );
}

async function recordLinkAudit(
  em: SqlEntityManager,
  context: Context,
  { id, accountId, profileId, mode }: ConnectSession,
  { customer, connectionId }: { readonly customer: string; readonly connectionId: string },
): Promise<void> {
  const change = {
    accountId,
    actor: { kind: 'customer', id, name: customer },
    surface: 'connect_page',
    operation: 'connect.link',
    object: { type: 'connection', ids: [connectionId] },
    outcome: 'ok',
    mode,
    profileId: profileId ?? null,
    requestId: null,
  } as const;
  await recordChange(context, change, em);
}
