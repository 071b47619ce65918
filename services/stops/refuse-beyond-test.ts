/** Keeps callers in test mode from stopping and releasing what goes out in live mode. */
import type { StopKind } from '../../entities/stop.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';

const HOLDS_LIVE_POSTS: Partial<Record<StopKind, string>> = { account: 'the account', profile: 'a profile' };

/**
 * Keys and grants in live mode need no check here: a caller in test mode does not find them.
 *
 * @throws ServiceError forbidden
 */
export function refuseBeyondTest({ mode }: Pick<Caller, 'mode'>, kind: StopKind): void {
  const what = HOLDS_LIVE_POSTS[kind];
  if (mode === 'live' || what === undefined) return;
  throw new ServiceError(
    'forbidden',
    `A stop of ${what} holds live posts too, so a key or access token in test mode neither starts nor releases it. Use a live one, or stop a test key or an agent in test mode.`,
  );
}
