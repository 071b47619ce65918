/**
 * An OAuth credential: tokens bound to a key and refreshed with it. The customer granted them on their server's
 * page.
 */
import type { TokenEndpointResponse } from 'oauth4webapi';
import { PlatformFailure, type PlatformIo } from '../contract.ts';
import { type PlatformAnswer, stringField } from '../http.ts';
import { expiryOf, type TokenGrant } from '../oauth-credential.ts';
import { renewalByRefreshToken, standardFailure } from '../token-endpoint.ts';
import { refusedProofMessage } from '../refused-proof.ts';
import { type PrivateKey, proofsBy } from './dpop.ts';
import { documentUrl, proofOf } from './oauth-client.ts';

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
  async (io, { issuer, tokenUrl, clientId, clientKey, boundTo }) => {
    const name = new URL(issuer).host;
    return {
      name,
      url: tokenUrl,
      clientId,
      authentication: await proofOf({ key: clientKey }),
      DPoP: await proofsBy(boundTo),
      failure: (answer) => clientFailure(io, name, clientId, answer) ?? standardFailure(name, answer),
    };
  },
);

const CLAIM_OF_TIME = /"(?:iat|nbf|exp)" claim/;

/**
 * Servers answer `invalid_client_metadata` while they cannot fetch the document of this install, for example during a restart or
 * a rotation of the encryption keys; the refresh token stays valid then. The document of another PUBLIC_URL does not come back,
 * so its accounts have to be connected again. `invalid_client` means that the server has read the document and that the key of the
 * credential is not in it, which only a new connection changes. It also means that the clocks of both differ; only the description
 * says so, such as `"iat" claim timestamp check failed`.
 */
function clientFailure(
  { endpoints }: PlatformIo,
  name: string,
  clientId: string,
  { status, body }: PlatformAnswer,
): PlatformFailure | null {
  const error = status === 200 ? undefined : stringField(body, 'error');
  if (error === 'invalid_client' && CLAIM_OF_TIME.test(stringField(body, 'error_description') ?? '')) {
    return new PlatformFailure('unavailable', refusedProofMessage(name));
  }
  if (error !== 'invalid_client_metadata' || clientId !== documentUrl(endpoints)) return null;
  const message = `${name} cannot read ${clientId}, by which it knows this install; nothing was posted.`;
  return new PlatformFailure('unavailable', message);
}

/** Converts a token response to the stored credential. */
export function tokensOf(granted: TokenEndpointResponse, io: PlatformIo) {
  const { access_token: accessToken, refresh_token: refreshToken = null, expires_in: seconds } = granted;
  const now = io.now();
  return { accessToken, refreshToken, expiresAt: expiryOf(seconds, now), issuedAt: now.toISOString() };
}
