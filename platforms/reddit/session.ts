/**
 * The credential of a Reddit account: a token for an hour or a day, and a refresh token that is valid until
 * revoked.
 */
import { basicAuthorization } from '../basic-authorization.ts';
import { type LoginRenewal, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { callPlatform, type PlatformAnswer, stringField } from '../http.ts';
import { dueBefore, readGrant, type TokenGrant } from '../oauth-token.ts';
import { callWithTokenRefresh } from '../with-token-refresh.ts';
import { callReddit, failureOf, type RedditCall, userAgent } from './api.ts';

/** The credential that is stored, encrypted, for a connection. */
export interface RedditLogin extends TokenGrant {
  readonly username: string;
  /** Name of the community to post to, or `u_` and the username for the account's own profile. */
  readonly target: string;
}

/** How long before expiry a token is renewed, so that it does not expire during a request. */
const MARGIN_MS = 5 * 60_000;

export const renewal: LoginRenewal<RedditLogin> = {
  canRenew: ({ refreshToken }, { reddit }) => refreshToken !== null && reddit !== null,
  dueAt: ({ expiresAt }) => dueBefore(expiresAt, MARGIN_MS),
  renew: renewLogin,
};

/**
 * Calls with the stored credential and renews it when needed. Reddit refuses an expired token without processing
 * the call.
 */
export function callLoggedIn(
  session: Session<RedditLogin>,
  io: PlatformIo,
  path: string,
  call?: RedditCall,
): Promise<PlatformAnswer> {
  return callWithTokenRefresh(session, io, renewal, {
    make: ({ accessToken }) => callReddit(io, accessToken, path, call),
    isRefused: ({ status }) => status === 401,
  });
}

/**
 * Calls the token endpoint as the operator's app.
 *
 * @returns null when Reddit refuses the code or token, which it also does with HTTP 200
 * @throws PlatformFailure `unavailable` when this install has no app, or Reddit does not know it
 * @see https://github.com/reddit-archive/reddit/wiki/OAuth2
 */
export async function askForToken(
  io: PlatformIo,
  parameters: Readonly<Record<string, string>>,
): Promise<TokenGrant | null> {
  const { reddit: app } = io.apps;
  if (app === null) throw new PlatformFailure('unavailable', 'Reddit is not set up on this install any more.');
  const authorization = basicAuthorization(app.clientId, app.clientSecret ?? '');
  const headers = { authorization, accept: 'application/json', 'user-agent': userAgent(io) };
  const url = `${io.endpoints.REDDIT_AUTH_URL}/api/v1/access_token`;
  const answer = await callPlatform(io, url, { method: 'POST', headers, body: new URLSearchParams(parameters) });
  const { status, body } = answer;
  if (status === 401) {
    const message = 'Reddit does not know the app of REDDIT_CLIENT_ID; nothing was posted.';
    throw new PlatformFailure('unavailable', message);
  }
  if (status === 400 || (status === 200 && stringField(body, 'error') !== undefined)) return null;
  const refused = failureOf(answer);
  if (refused !== null) throw refused;
  return readGrant('Reddit', answer, io.now());
}

async function renewLogin(stale: RedditLogin, io: PlatformIo): Promise<RedditLogin> {
  const { refreshToken } = stale;
  const grant = await askForToken(io, { grant_type: 'refresh_token', refresh_token: refreshToken ?? '' });
  if (grant !== null) return { ...stale, ...grant, refreshToken: grant.refreshToken ?? refreshToken };
  throw new PlatformFailure('reconnect', 'Reddit does not renew this login any more: connect the account again.');
}
