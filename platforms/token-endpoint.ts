/**
 * Calls the token endpoint of a platform (RFC 6749, section 3.2), and renews credentials with their refresh tokens.
 * The only place that does either; each platform describes its endpoint.
 */
import * as oauth from 'oauth4webapi';
import type { CredentialRenewal } from './credential.ts';
import { PlatformFailure } from './failure.ts';
import { callPlatform, isTemporary, type PlatformAnswer, platformWords, stringField, unavailable } from './http.ts';
import type { FetchInit, PlatformIo } from './io.ts';
import { dueBefore, endOf, expiryOf, type TokenGrant } from './oauth-credential.ts';
import { isProofRefused, refusedProofMessage } from './refused-proof.ts';
import type { PlatformApps } from './settings.ts';

export interface TokenEndpoint {
  /** Name of the platform or server, as users know it. */
  readonly name: string;
  readonly url: string;
  readonly clientId: string;
  readonly authentication: oauth.ClientAuth;
  /**
   * Setting with the app's id; absent if the operator does not register the app. It decides what a refused app means (RFC 6749,
   * section 5.2), which no repeat cures. Once an operator corrects the setting, the same credentials work again, so accounts stay
   * connected. Without a setting, the credential itself keeps a client that the server no longer accepts, so the account has to
   * be connected again. Where that is wrong, the next renewal that succeeds withdraws it.
   */
  readonly appSetting?: string;
  /** Headers that the platform requires of every call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Proves possession of the key to which the tokens are bound. */
  readonly DPoP?: oauth.DPoPHandle;
  /** Whether the platform does not know the app of `appSetting`; by default, if the response has OAuth's error for that. */
  isAppUnknown?(answer: PlatformAnswer): boolean;
  /**
   * Returns the failure for an error response: `reconnect` when the code or the refresh token is not valid any more.
   * Null for a success. By default as OAuth specifies.
   */
  failure?(answer: PlatformAnswer): PlatformFailure | null;
}

/**
 * Requests tokens.
 *
 * @param grantType `authorization_code`, or `refresh_token`
 * @throws PlatformFailure `unavailable` when the platform does not know the app or answers without a token;
 * otherwise as the endpoint's `failure` says
 */
export async function requestTokens(
  io: PlatformIo,
  endpoint: TokenEndpoint,
  grantType: string,
  parameters: Readonly<Record<string, string>>,
): Promise<TokenGrant> {
  const { url, clientId, authentication } = endpoint;
  const server: oauth.AuthorizationServer = { issuer: new URL(url).origin, token_endpoint: url };
  const client: oauth.Client = { client_id: clientId };
  const { options, answered } = requestOf(io, endpoint);
  const request = async () => {
    const form = new URLSearchParams(parameters);
    const response = await oauth.genericTokenEndpointRequest(server, client, authentication, grantType, form, options);
    try {
      return await oauth.processGenericTokenEndpointResponse(server, client, response);
    } catch (cause) {
      throw oauth.isDPoPNonceError(cause) ? cause : tokenFailure(endpoint, answered(), cause);
    }
  };
  const granted = await withNonce(request).catch((error: unknown) => {
    // The server has refused its own new nonce.
    throw oauth.isDPoPNonceError(error) ? tokenFailure(endpoint, answered(), error) : error;
  });
  const { access_token: accessToken, refresh_token: refreshToken = null, expires_in: seconds } = granted;
  const now = io.now();
  return { accessToken, refreshToken, expiresAt: expiryOf(seconds, now), issuedAt: now.toISOString() };
}

/** No platform has issued this code. */
const UNKNOWN_CODE = 'carillon-checks-the-app';

/**
 * Checks the app by exchanging a code that does not exist: a token endpoint identifies the app before it looks at the code (RFC
 * 6749, section 5.2), so a refused code means that the app is known. Nothing changes.
 *
 * @throws PlatformFailure `unavailable` when the platform does not know the app, or does not answer
 */
export async function checkClient(io: PlatformIo, endpoint: TokenEndpoint): Promise<void> {
  const parameters = {
    code: UNKNOWN_CODE,
    redirect_uri: io.endpoints.PUBLIC_URL,
    code_verifier: UNKNOWN_CODE.repeat(2),
  };
  try {
    await requestTokens(io, endpoint, 'authorization_code', parameters);
  } catch (error) {
    const isCodeRefused = error instanceof PlatformFailure && (error.kind === 'reconnect' || error.kind === 'rejected');
    if (!isCodeRefused) throw error;
  }
}

/** How a platform renews credentials with refresh tokens. */
interface Refreshing {
  /** Whether this install has the app that a renewal requires. */
  isSetUp(apps: PlatformApps): boolean;
  /** How long before expiry a credential is renewed, so that it does not expire during a request. */
  readonly aheadMs: number;
}

/** Renewal of a credential by its refresh token. @param endpointOf throws PlatformFailure when the app is missing */
export function renewalByRefreshToken<Credential extends TokenGrant>(
  { isSetUp, aheadMs }: Refreshing,
  endpointOf: (io: PlatformIo, stale: Credential) => TokenEndpoint | Promise<TokenEndpoint>,
): CredentialRenewal<Credential> {
  return {
    canRenew: ({ refreshToken }, apps) => refreshToken !== null && isSetUp(apps),
    dueAt: (credential) => dueBefore(credential, aheadMs),
    endsAt: endOf,
    renew: async (stale, io) => {
      const { refreshToken } = stale;
      const grant = await refresh(io, await endpointOf(io, stale), refreshToken ?? '');
      return { ...stale, ...grant, refreshToken: grant.refreshToken ?? refreshToken };
    },
  };
}

async function refresh(io: PlatformIo, endpoint: TokenEndpoint, refreshToken: string): Promise<TokenGrant> {
  try {
    return await requestTokens(io, endpoint, 'refresh_token', { refresh_token: refreshToken });
  } catch (cause) {
    if (!(cause instanceof PlatformFailure) || cause.kind !== 'reconnect') throw cause;
    const message = `${endpoint.name} no longer renews this credential: connect the account again.`;
    throw new PlatformFailure('reconnect', message, { cause });
  }
}

/** Whether a token endpoint's error is about the app and not about the credential. */
export function isAppError(error: string | undefined): boolean {
  return error === 'invalid_client' || error === 'unauthorized_client';
}

/** At a token endpoint, a refused request means that the code or the refresh token is not valid any more. */
export function asInvalidGrant(failure: PlatformFailure): PlatformFailure {
  return failure.kind === 'rejected' ? new PlatformFailure('reconnect', failure.message, { cause: failure }) : failure;
}

/** Repeats a request with the nonce that the server requires. The server has not processed the first request. */
export async function withNonce<Result>(attempt: () => Promise<Result>): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return attempt();
  }
}

/** The library's request goes through `callPlatform`, so that it is bounded and its network errors have names. */
function requestOf(io: PlatformIo, { headers, DPoP }: TokenEndpoint) {
  let last: PlatformAnswer | undefined;
  const options: oauth.TokenEndpointRequestOptions = {
    [oauth.customFetch]: async (url: string, { method, headers: sent, body }) => {
      const content = body as NonNullable<FetchInit['body']>;
      last = await callPlatform(io, url, { method, headers: sent, body: content });
      return asResponse(last);
    },
    // The outbound guard decides which URLs may be called, and which without TLS.
    [oauth.allowInsecureRequests]: true,
    ...(headers !== undefined && { headers: { ...headers } }),
    ...(DPoP !== undefined && { DPoP }),
  };
  return { options, answered: () => last as PlatformAnswer };
}

/** Some platforms omit the type of the token, send null for absent fields, or add an ID token that nothing uses. */
function asResponse({ status, headers, body }: PlatformAnswer): Response {
  const fields = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const given = Object.fromEntries(fields.filter(([name, value]) => value !== null && name !== 'id_token'));
  const conformed = status === 200 ? { token_type: 'bearer', ...given } : given;
  const sent = new Headers(headers);
  sent.set('content-type', 'application/json');
  return new Response(status === 204 || status === 304 ? null : JSON.stringify(conformed), { status, headers: sent });
}

function tokenFailure(endpoint: TokenEndpoint, answer: PlatformAnswer, cause: unknown): PlatformFailure {
  const { name, appSetting, isAppUnknown = hasAppError } = endpoint;
  const standard = (other: PlatformAnswer) => standardFailure(name, other);
  // Errors of a token endpoint are JSON (RFC 6749, section 5.2). Any other response came from a proxy and is temporary.
  const isJson = typeof answer.body === 'object' && answer.body !== null;
  const failure = isJson ? (endpoint.failure ?? standard) : standard;
  if (appSetting !== undefined && isJson && answer.status !== 429 && isAppUnknown(answer)) {
    const message = `${name} does not know the app of ${appSetting}; nothing was posted.`;
    return new PlatformFailure('unavailable', message, { cause });
  }
  const missing = `${name} answered without a token; nothing was posted.`;
  return failure(answer) ?? new PlatformFailure('unavailable', missing, { cause });
}

function hasAppError({ status, body }: PlatformAnswer): boolean {
  return status !== 200 && isAppError(stringField(body, 'error'));
}

/** The failure for an error response, as OAuth specifies it. Null for a success. */
export function standardFailure(name: string, answer: PlatformAnswer): PlatformFailure | null {
  const { status, body } = answer;
  if (status === 200) return null;
  if (isTemporary(answer)) return unavailable(name, answer);
  const error = stringField(body, 'error');
  if (error === undefined) return new PlatformFailure('unavailable', `${name} answered HTTP ${status}.`);
  if (isProofRefused(error)) return new PlatformFailure('unavailable', refusedProofMessage(name));
  const words = platformWords(stringField(body, 'error_description') ?? error);
  return new PlatformFailure('reconnect', `${name} refused: ${words}`);
}
