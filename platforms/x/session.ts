/** The credential of an X account: a token for two hours and, if the install has its own app, a refresh token. */
import { z } from 'zod';
import { basicAuthorization } from '../basic-authorization.ts';
import { type LoginRenewal, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { callPlatform, type PlatformAnswer, stringField } from '../http.ts';
import { dueBefore, expiryOf, isAppError } from '../oauth-token.ts';
import { callWithTokenRefresh } from '../with-token-refresh.ts';
import type { ScopedLogin } from '../scopes.ts';
import { callX, failure, type XCall } from './api.ts';

/** The credential that is stored, encrypted, for a connection. */
export interface XLogin extends ScopedLogin {
  readonly accessToken: string;
  /** Valid for one use; null when there is none. */
  readonly refreshToken: string | null;
  /** ISO instant at which the access token expires; null when unknown. */
  readonly expiresAt: string | null;
}

const TokenAnswer = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().positive().optional(),
});

/** How long before expiry a token is renewed, so that it does not expire during a request. */
const MARGIN_MS = 5 * 60_000;

export const renewal: LoginRenewal<XLogin> = {
  canRenew: ({ refreshToken }, { x }) => refreshToken !== null && x !== null,
  dueAt: ({ expiresAt }) => dueBefore(expiresAt, MARGIN_MS),
  renew: renewLogin,
};

/**
 * Calls with the stored credential and renews it when needed. X refuses an expired token without processing the
 * call.
 */
export function callLoggedIn(
  session: Session<XLogin>,
  io: PlatformIo,
  path: string,
  call?: XCall,
): Promise<PlatformAnswer> {
  return callWithTokenRefresh(session, io, renewal, {
    make: ({ accessToken }) => callX(io, accessToken, path, call),
    isRefused: ({ status }) => status === 401,
  });
}

/** @see https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code */
async function renewLogin(stale: XLogin, io: PlatformIo): Promise<XLogin> {
  const app = io.apps.x;
  if (app === null) throw new PlatformFailure('unavailable', 'X is not set up on this install any more.');
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: stale.refreshToken ?? '' });
  const headers: Record<string, string> = { accept: 'application/json' };
  if (app.clientSecret === undefined) form.set('client_id', app.clientId);
  else headers['authorization'] = basicAuthorization(app.clientId, app.clientSecret);
  const url = `${io.endpoints.X_API_URL}/2/oauth2/token`;
  const answer = await callPlatform(io, url, { method: 'POST', headers, body: form });
  if (answer.status !== 200) throw renewalFailure(answer);
  const token = TokenAnswer.safeParse(answer.body);
  if (!token.success) throw new PlatformFailure('unavailable', 'X answered without a new login; nothing was posted.');
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = token.data;
  return {
    ...stale,
    accessToken,
    refreshToken: refreshToken ?? stale.refreshToken,
    expiresAt: expiryOf(seconds, io.now()),
  };
}

function renewalFailure(answer: PlatformAnswer): PlatformFailure {
  if (isAppError(stringField(answer.body, 'error'))) {
    return new PlatformFailure('unavailable', 'X does not know the app of X_CLIENT_ID; nothing was posted.');
  }
  const refused = failure(answer);
  if (refused.kind !== 'rejected') return refused;
  return new PlatformFailure('reconnect', 'X does not renew this login any more: connect the account again.');
}
