/** Refreshes an access token before a call that publishes, so that the refresh takes nothing from the time of the call. */
import { type AnyPlatform, PlatformFailure, type Session } from '../../platforms/contract.ts';
import { isRenewalDue, renewedCredential } from '../../platforms/with-token-refresh.ts';
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
  const present = { apps: context.config.apps, now: () => context.clock.now() };
  if (renewal === undefined || !isRenewalDue(session, present, renewal)) return session;
  try {
    return {
      ...session,
      credential: await renewedCredential(session, platformIo(context, REFRESH_TIMEOUT_MS), renewal),
    };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return { ...session, renew: () => Promise.reject(error) };
  }
}
