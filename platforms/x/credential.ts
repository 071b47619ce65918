/** The credential of an X account: a token for two hours and, if the install has its own app, a refresh token. */
import { type ClientAuth, None } from 'oauth4webapi';
import { basicAuthorization } from '../basic-authorization.ts';
import { type PlatformApp, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import type { PlatformAnswer } from '../http.ts';
import type { TokenGrant } from '../oauth-credential.ts';
import type { ScopedCredential } from '../scopes.ts';
import { asInvalidGrant, renewalByRefreshToken, type TokenEndpoint } from '../token-endpoint.ts';
import { callWithTokenRefresh, isTokenRefused } from '../with-token-refresh.ts';
import { callX, failure, type XCall } from './api.ts';

/** The credential that is stored, encrypted, for a connection. */
export interface XCredential extends TokenGrant, ScopedCredential {}

/** How long before expiry a token is renewed, so that it does not expire during a request. */
const MARGIN_MS = 5 * 60_000;

export const renewal = renewalByRefreshToken<XCredential>(
  { isSetUp: ({ x }) => x !== null, aheadMs: MARGIN_MS },
  endpointOf,
);

/**
 * Calls with the stored credential and renews it when needed. X refuses an expired token without processing the
 * call.
 */
export function callLoggedIn(
  session: Session<XCredential>,
  io: PlatformIo,
  path: string,
  call?: XCall,
): Promise<PlatformAnswer> {
  return callWithTokenRefresh(session, io, renewal, {
    make: ({ accessToken }) => callX(io, accessToken, path, call),
    isRefused: isTokenRefused,
  });
}

/** @see https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code */
export function endpointOf(io: PlatformIo): TokenEndpoint {
  const app = appOf(io);
  return {
    name: 'X',
    url: `${io.endpoints.X_API_URL}/2/oauth2/token`,
    clientId: app.clientId,
    authentication: proofOf(app),
    appSetting: 'X_CLIENT_ID',
    failure: (answer) => (answer.status === 200 ? null : asInvalidGrant(failure(answer))),
  };
}

/** @throws PlatformFailure when the operator has removed the app */
export function appOf({ apps }: PlatformIo): PlatformApp {
  if (apps.x !== null) return apps.x;
  throw new PlatformFailure('unavailable', 'X is not set up on this install any more.');
}

/** X reads the id and secret unencoded, although the standard requires each to be URL-encoded. */
export function proofOf({ clientId, clientSecret }: PlatformApp): ClientAuth {
  if (clientSecret === undefined) return None();
  return (_as, _client, _body, headers) => headers.set('authorization', basicAuthorization(clientId, clientSecret));
}
