/**
 * The credential of a LinkedIn member: a token for sixty days and, for apps that LinkedIn approves, a refresh
 * token.
 */
import { type LoginRenewal, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { callPlatform, type PlatformAnswer, stringField } from '../http.ts';
import { dueBefore, isAppError, readGrant, type TokenGrant } from '../oauth-token.ts';
import { callWithTokenRefresh } from '../with-token-refresh.ts';
import { callLinkedIn, failure, type LinkedInCall } from './api.ts';

/** The stored, encrypted credential: the member's, even if the connection posts as one of their pages. */
export interface LinkedInLogin extends TokenGrant {
  /** Id of the page to post as; null for the member. */
  readonly organizationId: string | null;
}

/** How long before expiry a token is renewed. It lives for sixty days, and a page may post only once a month. */
const MARGIN_MS = 7 * 24 * 60 * 60_000;

export const renewal: LoginRenewal<LinkedInLogin> = {
  canRenew: ({ refreshToken }, { linkedin }) => refreshToken !== null && linkedin !== null,
  dueAt: ({ expiresAt }) => dueBefore(expiresAt, MARGIN_MS),
  renew: renewLogin,
};

/**
 * Calls with the stored credential and renews it when needed. LinkedIn refuses an expired token without processing
 * the call.
 */
export function callLoggedIn(
  session: Session<LinkedInLogin>,
  io: PlatformIo,
  path: string,
  call?: LinkedInCall,
): Promise<PlatformAnswer> {
  return withLogin(session, io, (accessToken) => callLinkedIn(io, accessToken, path, call));
}

/** The same for a call to another URL. */
export function withLogin(
  session: Session<LinkedInLogin>,
  io: PlatformIo,
  make: (accessToken: string) => Promise<PlatformAnswer>,
): Promise<PlatformAnswer> {
  return callWithTokenRefresh(session, io, renewal, {
    make: ({ accessToken }) => make(accessToken),
    isRefused: ({ status }) => status === 401,
  });
}

/**
 * Calls the token endpoint as the operator's app.
 *
 * @param parameters the grant type and its parameters
 * @throws PlatformFailure `unavailable` when this install has no app, or LinkedIn does not know it
 * @see https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow
 */
export async function askForToken(
  io: PlatformIo,
  parameters: Readonly<Record<string, string>>,
): Promise<PlatformAnswer> {
  const { linkedin: app } = io.apps;
  if (app === null) throw new PlatformFailure('unavailable', 'LinkedIn is not set up on this install any more.');
  const { clientId: client_id, clientSecret } = app;
  const body = new URLSearchParams({ ...parameters, client_id, client_secret: clientSecret ?? '' });
  const url = `${io.endpoints.LINKEDIN_AUTH_URL}/oauth/v2/accessToken`;
  const answer = await callPlatform(io, url, { method: 'POST', headers: { accept: 'application/json' }, body });
  if (answer.status !== 200 && isAppError(stringField(answer.body, 'error'))) {
    const message = 'LinkedIn does not know the app of LINKEDIN_CLIENT_ID; nothing was posted.';
    throw new PlatformFailure('unavailable', message);
  }
  return answer;
}

async function renewLogin(stale: LinkedInLogin, io: PlatformIo): Promise<LinkedInLogin> {
  const { refreshToken } = stale;
  const parameters = { grant_type: 'refresh_token', refresh_token: refreshToken ?? '' };
  const answer = await askForToken(io, parameters);
  if (answer.status !== 200) throw renewalFailure(answer);
  const grant = readGrant('LinkedIn', answer, io.now());
  return { ...stale, ...grant, refreshToken: grant.refreshToken ?? refreshToken };
}

function renewalFailure(answer: PlatformAnswer): PlatformFailure {
  const refused = failure(answer);
  if (refused.kind === 'unknown' || refused.kind === 'unavailable') return refused;
  return new PlatformFailure('reconnect', 'LinkedIn does not renew this login any more: connect the account again.');
}
