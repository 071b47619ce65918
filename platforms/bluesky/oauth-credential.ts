/**
 * An OAuth credential: tokens bound to a key and refreshed with it. The customer granted them on their server's
 * page.
 */
import type { TokenEndpointResponse } from 'oauth4webapi';
import type { PlatformIo } from '../contract.ts';
import { expiryOf, type TokenGrant } from '../oauth-credential.ts';
import { renewalByRefreshToken } from '../token-endpoint.ts';
import { type PrivateKey, proofsBy } from './dpop.ts';
import { proofOf } from './oauth-client.ts';

/** The credential that is stored, encrypted, for a connection. */
export interface OauthCredential extends TokenGrant {
  /** Origin of the server that stores the account's posts. */
  readonly pds: string;
  /** The authorization server that issued the tokens. */
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientKey: PrivateKey | null;
  /** The key to which the tokens are bound. */
  readonly boundTo: PrivateKey;
}

/** How long before expiry an access token is renewed, so that it does not expire during a request. */
export const MARGIN_MS = 5 * 60_000;

export const oauthRenewal = renewalByRefreshToken<OauthCredential>(
  { isSetUp: () => true, aheadMs: MARGIN_MS },
  async (_io, { issuer, tokenUrl, clientId, clientKey, boundTo }) => ({
    name: new URL(issuer).host,
    url: tokenUrl,
    clientId,
    authentication: await proofOf({ key: clientKey }),
    DPoP: await proofsBy(boundTo),
  }),
);

/** Converts a token response to the stored credential. */
export function tokensOf(granted: TokenEndpointResponse, io: PlatformIo) {
  const { access_token: accessToken, refresh_token: refreshToken = null, expires_in: seconds } = granted;
  return { accessToken, refreshToken, expiresAt: expiryOf(seconds, io.now()) };
}
