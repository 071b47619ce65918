/**
 * An OAuth credential: tokens bound to a key and refreshed with it. The customer granted them on their server's
 * page.
 */
import * as oauth from 'oauth4webapi';
import { PlatformFailure, type PlatformIo } from '../contract.ts';
import { oauthFailure, requestOptions } from '../oauth.ts';
import { expiryOf } from '../oauth-token.ts';
import { type PrivateKey, proofsBy, withNonce } from './dpop.ts';
import { proofOf } from './oauth-client.ts';

/** The credential that is stored, encrypted, for a connection. */
export interface OauthLogin {
  /** Origin of the server that stores the account's posts. */
  readonly pds: string;
  /** The authorization server that issued the tokens. */
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientKey: PrivateKey | null;
  /** The key to which the tokens are bound. */
  readonly boundTo: PrivateKey;
  readonly accessToken: string;
  /** Valid for one use; null when there is none. */
  readonly refreshToken: string | null;
  /** ISO instant at which the access token expires; null when unknown. */
  readonly expiresAt: string | null;
}

/** @throws PlatformFailure `reconnect` when the server no longer renews the credential */
export async function renewOauthLogin(stale: OauthLogin, io: PlatformIo): Promise<OauthLogin> {
  const { issuer, tokenUrl, clientId, clientKey, boundTo, refreshToken } = stale;
  const as: oauth.AuthorizationServer = { issuer, token_endpoint: tokenUrl };
  const client: oauth.Client = { client_id: clientId };
  const options = { ...requestOptions(io), DPoP: await proofsBy(boundTo) };
  const proof = await proofOf({ key: clientKey });
  try {
    const granted = await withNonce(async () => {
      const answer = await oauth.refreshTokenGrantRequest(as, client, proof, refreshToken ?? '', options);
      return oauth.processRefreshTokenResponse(as, client, answer);
    });
    return { ...stale, ...tokensOf(granted, io), refreshToken: granted.refresh_token ?? refreshToken };
  } catch (error) {
    const failure = oauthFailure(new URL(issuer).host, error);
    if (failure.kind !== 'rejected') throw failure;
    const message = `${failure.message}: connect the account again.`;
    throw new PlatformFailure('reconnect', message, { cause: error });
  }
}

/** Converts a token response to the stored credential. */
export function tokensOf(granted: oauth.TokenEndpointResponse, io: PlatformIo) {
  const { access_token: accessToken, refresh_token: refreshToken = null, expires_in: seconds } = granted;
  return { accessToken, refreshToken, expiresAt: expiryOf(seconds, io.now()) };
}
