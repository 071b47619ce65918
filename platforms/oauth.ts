/** OAuth 2.0 authorization code flow with PKCE: the platform's consent page, and the exchange of the code. */
import * as oauth from 'oauth4webapi';
import { type FetchInit, PlatformFailure, type PlatformIo } from './contract.ts';
import type { OauthRequest } from './connect.ts';
import { NotSentError, platformWords } from './http.ts';
import { isAppError } from './token-endpoint.ts';

/** The platform's endpoints. */
export interface AuthorizationServer {
  /** The platform's display name. */
  readonly name: string;
  /** URL of the consent page. */
  readonly pageUrl: string;
  /** URL of the token endpoint. */
  readonly tokenUrl: string;
  readonly scope: string;
}

/** The result of exchanging a code. */
export interface Grant {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Seconds from now; undefined when the platform does not report them. */
  readonly expiresIn: number | undefined;
  /** The whole response: some platforms add fields of their own. */
  readonly said: Readonly<Record<string, unknown>>;
}

/** A request as the library makes it. */
type OutgoingInit = oauth.CustomFetchOptions<string, unknown>;

/** Returns the consent page's URL for one customer. */
export async function consentUrl(
  server: AuthorizationServer,
  clientId: string,
  { redirectUri, state, verifier }: OauthRequest,
): Promise<string> {
  const url = new URL(server.pageUrl);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: server.scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * Exchanges the code of a callback for tokens.
 *
 * @param prove the client authentication of the app
 * @throws PlatformFailure `rejected` when the platform refuses, `unavailable` when it cannot be reached;
 * {@link isUnknownApp} says whether it refused the app
 */
export async function exchangeCode(
  io: PlatformIo,
  server: AuthorizationServer,
  clientId: string,
  prove: oauth.ClientAuth,
  answer: URLSearchParams,
  { redirectUri, state, verifier }: OauthRequest,
): Promise<Grant> {
  const client: oauth.Client = { client_id: clientId };
  const as: oauth.AuthorizationServer = { issuer: issuerOf(server, answer), token_endpoint: server.tokenUrl };
  const options = { ...requestOptions(io), additionalParameters: { scope: server.scope } };
  try {
    const checked = oauth.validateAuthResponse(as, client, answer, state);
    const asked = oauth.authorizationCodeGrantRequest(as, client, prove, checked, redirectUri, verifier, options);
    const granted = await oauth.processAuthorizationCodeResponse(as, client, await asked);
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = granted;
    return { accessToken, refreshToken, expiresIn, said: granted };
  } catch (error) {
    throw oauthFailure(server.name, error);
  }
}

/** Request options of every request of an exchange. */
export function requestOptions(io: PlatformIo) {
  return {
    [oauth.customFetch]: (url: string, { method, headers, body, signal }: OutgoingInit) =>
      io.fetch(url, {
        method,
        headers,
        ...(body !== undefined && { body: body as NonNullable<FetchInit['body']> }),
        ...(signal !== undefined && { signal }),
      }),
    // The outbound guard decides which URLs may be called, and which without TLS.
    [oauth.allowInsecureRequests]: true,
    signal: io.signal,
  };
}

/** Whether the platform refused because it does not know the app. */
export function isUnknownApp(error: unknown): boolean {
  const cause = error instanceof PlatformFailure ? error.cause : undefined;
  return cause instanceof oauth.ResponseBodyError && isAppError(cause.error);
}

/** Servers identify themselves in the response with or without a path; another host's name is refused. */
function issuerOf({ pageUrl }: AuthorizationServer, answer: URLSearchParams): string {
  const { origin } = new URL(pageUrl);
  const said = answer.get('iss');
  return said !== null && URL.parse(said)?.origin === origin ? said : origin;
}

/** Returns the failure for an exchange that failed. @param name of the server, as users know it */
export function oauthFailure(name: string, cause: unknown): PlatformFailure {
  if (cause instanceof NotSentError) {
    return new PlatformFailure('unavailable', `${name} could not be reached: ${cause.message}`, { cause });
  }
  const said = cause instanceof oauth.ResponseBodyError || cause instanceof oauth.AuthorizationResponseError;
  if (said && (cause instanceof oauth.AuthorizationResponseError || cause.status < 500)) {
    const words = platformWords(cause.error_description ?? cause.error);
    return new PlatformFailure('rejected', `${name} refused: ${words}`, { cause });
  }
  return new PlatformFailure('unavailable', `${name} did not answer as expected.`, { cause });
}
