/**
 * The credential of a Reddit account: a token for an hour or a day, and a refresh token that is valid until
 * revoked.
 */
import { basicAuthorization } from '../basic-authorization.ts';
import { type PlatformApp, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { type PlatformAnswer, stringField } from '../http.ts';
import type { TokenGrant } from '../oauth-credential.ts';
import { renewalByRefreshToken, type TokenEndpoint } from '../token-endpoint.ts';
import { callWithTokenRefresh, isTokenRefused } from '../with-token-refresh.ts';
import { callReddit, failureOf, type RedditCall, userAgent } from './api.ts';

/** The credential that is stored, encrypted, for a connection. */
export interface RedditCredential extends TokenGrant {
  readonly username: string;
  /** Name of the community to post to, or `u_` and the username for the account's own profile. */
  readonly target: string;
}

const INVALID = 'Reddit refused: the code was used before, or was made for another address.';

/** How long before expiry a token is renewed, so that it does not expire during a request. */
const MARGIN_MS = 5 * 60_000;

export const renewal = renewalByRefreshToken<RedditCredential>(
  { isSetUp: ({ reddit }) => reddit !== null, aheadMs: MARGIN_MS },
  endpointOf,
);

/**
 * Calls with the stored credential and renews it when needed. Reddit refuses an expired token without processing
 * the call.
 */
export function callLoggedIn(
  session: Session<RedditCredential>,
  io: PlatformIo,
  path: string,
  call?: RedditCall,
): Promise<PlatformAnswer> {
  return callWithTokenRefresh(session, io, renewal, {
    make: ({ accessToken }) => callReddit(io, accessToken, path, call),
    isRefused: isTokenRefused,
  });
}

/**
 * Reddit reads the id and secret unencoded, and reports an invalid code or token with HTTP 400 or 200.
 *
 * @see https://github.com/reddit-archive/reddit/wiki/OAuth2
 */
export function endpointOf(io: PlatformIo): TokenEndpoint {
  const { clientId, clientSecret } = appOf(io);
  const authorization = basicAuthorization(clientId, clientSecret ?? '');
  return {
    name: 'Reddit',
    url: `${io.endpoints.REDDIT_AUTH_URL}/api/v1/access_token`,
    clientId,
    authentication: (_as, _client, _body, headers) => headers.set('authorization', authorization),
    appSetting: 'REDDIT_CLIENT_ID',
    headers: { 'user-agent': userAgent(io) },
    isAppUnknown: ({ status }) => status === 401,
    failure: (answer) => {
      const { status, body } = answer;
      const isInvalid = status === 400 || (status === 200 && stringField(body, 'error') !== undefined);
      return isInvalid ? new PlatformFailure('reconnect', INVALID) : failureOf(answer);
    },
  };
}

/** @throws PlatformFailure when the operator has removed the app */
export function appOf({ apps }: PlatformIo): PlatformApp {
  if (apps.reddit !== null) return apps.reddit;
  throw new PlatformFailure('unavailable', 'Reddit is not set up on this install any more.');
}
