/** Refreshes an access token before a call that publishes, so that the refresh takes nothing from the time of the call. */
import { type AnyPlatform, PlatformFailure, type Session } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { platformIo } from '../platform-io.ts';
import { REFRESH_TIMEOUT_MS } from './open-session.ts';

/**
 * @returns the session for the call: with the new credential, or, after a failure, one that does not try again within the time of
 *   the call. Until it expires the old credential still works.
 */
export async function refreshAhead(
  context: Context,
  platform: AnyPlatform,
  session: Session<unknown>,
): Promise<Session<unknown>> {
  const { renewal } = platform;
  if (renewal === undefined || !renewal.canRenew(session.credential, context.config.apps)) return session;
  const dueAt = renewal.dueAt(session.credential);
  if (dueAt === null || dueAt > context.clock.now()) return session;
  const io = platformIo(context, REFRESH_TIMEOUT_MS);
  try {
    const credential = await session.renew((stale, signal) => renewal.renew(stale, { ...io, signal }));
    return { ...session, credential };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return { ...session, renew: () => Promise.reject(error) };
  }
}
