/**
 * Stores an account that its platform has accepted in the session's profile, and completes the session. An account that
 * is already in the profile keeps its id, slug and queue: only its credential is replaced, and no event is emitted.
 */
import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ConnectSession } from '../../entities/connect-session.ts';
import { Profile } from '../../entities/profile.ts';
import type { AnyPlatform, ConnectedAccount } from '../../platforms/contract.ts';
import { recordChange } from '../audit/record-change.ts';
import { addConnection } from '../connections/add-connection.ts';
import { relinkAccount } from '../connections/relink-account.ts';
import type { Context } from '../context.ts';

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
  const { accountId, profileId, mode } = session;
  const living = { id: profileId, accountId, deletedAt: null };
  const profile = await em.findOne(Profile, living, { lockMode: LockMode.PESSIMISTIC_READ });
  if (profile === null) {
    Object.assign(session, { status: 'failed', error: 'connect_failed' });
  } else {
    const connection =
      (await relinkAccount(em, context, { platform, account }, { accountId, profileId })) ??
      (await addConnection(
        em,
        context,
        { accountId, mode },
        {
          platform,
          account,
          profileId,
          connectSessionId: sessionId,
        },
      ));
    Object.assign(session, { status: 'connected', connectionId: connection.id });
    await tellAudit(em, context, session, { customer: profile.name, connectionId: connection.id });
  }
  await em.flush();
}

async function tellAudit(
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
    profileId,
    requestId: null,
  } as const;
  await recordChange(context, change, em);
}
