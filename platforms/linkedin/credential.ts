/**
 * The credential of a LinkedIn member: a token for sixty days and, for apps that LinkedIn approves, a refresh
 * token.
 */
import { ClientSecretPost } from 'oauth4webapi';
import { type PlatformApps, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import type { PlatformAnswer } from '../http.ts';
import type { TokenGrant } from '../oauth-credential.ts';
import { asInvalidGrant, renewalByRefreshToken, type TokenEndpoint } from '../token-endpoint.ts';
import { callWithTokenRefresh, isTokenRefused } from '../with-token-refresh.ts';
import { callLinkedIn, failure, type LinkedInCall } from './api.ts';

/** The stored, encrypted credential: the member's, even if the connection posts as one of their pages. */
export interface LinkedInCredential extends TokenGrant {
  /** Id of the page to post as; null for the member. */
  readonly organizationId: string | null;
}

/** How long before expiry a token is renewed. It lives for sixty days, and a page may post only once a month. */
const MARGIN_MS = 7 * 24 * 60 * 60_000;

export const renewal = renewalByRefreshToken<LinkedInCredential>(
  { isSetUp: ({ linkedin }) => linkedin !== null, aheadMs: MARGIN_MS },
  endpointOf,
);

/**
 * Calls with the stored credential and renews it when needed. LinkedIn refuses an expired token without processing
 * the call.
 */
export function callLoggedIn(
  session: Session<LinkedInCredential>,
  io: PlatformIo,
  path: string,
  call?: LinkedInCall,
): Promise<PlatformAnswer> {
  return withAccessToken(session, io, (accessToken) => callLinkedIn(io, accessToken, path, call));
}

/** The same for a call to another URL. */
export function withAccessToken(
  session: Session<LinkedInCredential>,
  io: PlatformIo,
  make: (accessToken: string) => Promise<PlatformAnswer>,
): Promise<PlatformAnswer> {
  return callWithTokenRefresh(session, io, renewal, {
    make: ({ accessToken }) => make(accessToken),
    isRefused: isTokenRefused,
  });
}

/** @see https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow */
export function endpointOf(io: PlatformIo): TokenEndpoint {
  const { clientId, clientSecret } = appOf(io);
  return {
    name: 'LinkedIn',
    url: `${io.endpoints.LINKEDIN_AUTH_URL}/oauth/v2/accessToken`,
    clientId,
    authentication: ClientSecretPost(clientSecret ?? ''),
    appSetting: 'LINKEDIN_CLIENT_ID',
    failure: (answer) => (answer.status === 200 ? null : asInvalidGrant(failure(answer))),
  };
}

/** @throws PlatformFailure when the operator has removed the app */
export function appOf({ apps }: PlatformIo): NonNullable<PlatformApps['linkedin']> {
  if (apps.linkedin !== null) return apps.linkedin;
  throw new PlatformFailure('unavailable', 'LinkedIn is not set up on this install any more.');
}
