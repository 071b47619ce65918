/** Reads one connect session of the caller's. */
import { ConnectSession } from '../../entities/connect-session.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { type ConnectSessionView, connectSessionView } from './connect-session-view.ts';

/**
 * A scoped key sees the sessions of its profile; a test key sees those that test keys created.
 *
 * @throws ServiceError not_found for any other
 */
export async function getConnectSession(context: Context, caller: Caller, id: string): Promise<ConnectSessionView> {
  const session = await context.db.em().findOne(ConnectSession, {
    id,
    accountId: caller.accountId,
    ...(caller.profileId === null ? {} : { profileId: caller.profileId }),
    ...(caller.mode === 'test' ? { mode: 'test' as const } : {}),
  });
  if (session === null) throw new ServiceError('not_found', `No connect session of yours has the id ${id}.`);
  return connectSessionView(session, context.clock.now());
}
