/** The platform's own page of consent, and the exchange of what comes back from it: OAuth 2.0, authorization code, PKCE. */
import * as oauth from 'oauth4webapi';
import { type FetchInit, PlatformFailure, type PlatformIo } from './contract.ts';
import type { OauthRequest } from './hosted.ts';
import { NotSentError, platformWords } from './http.ts';
import { isAppError } from './oauth-token.ts';

/** A platform's side of it. */
export interface AuthorizationServer {
  /** The name people know it by. */
  readonly name: string;
  /** Address of the page of consent. */
  readonly pageUrl: string;
  /** Where codes are exchanged. */
  readonly tokenUrl: string;
  readonly scope: string;
}

/** What a code was exchanged for. */
export interface Grant {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Seconds from now; undefined when the platform does not say. */
  readonly expiresIn: number | undefined;
  /** The whole answer: some platforms say more in it, each in its own way. */
  readonly said: Readonly<Record<string, unknown>>;
}

/** A request as the library makes it. */
type OutgoingInit = oauth.CustomFetchOptions<string, unknown>;

/** The page's address for one customer. */
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
 * Exchanges the code of an answer for access.
 *
 * @param prove how the app proves that it is itself
 * @throws PlatformFailure `rejected` when the platform refuses, `unavailable` when it cannot be asked;
 *   {@link isUnknownApp} tells when it is the app that is refused
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

/** How every request of an exchange goes out. */
export function requestOptions(io: PlatformIo) {
  return {
    [oauth.customFetch]: (url: string, { method, headers, body, signal }: OutgoingInit) =>
      io.fetch(url, {
        method,
        headers,
        ...(body !== undefined && { body: body as NonNullable<FetchInit['body']> }),
        ...(signal !== undefined && { signal }),
      }),
    // Which addresses may be called, and which without TLS, is the guard's to say.
    [oauth.allowInsecureRequests]: true,
    signal: io.signal,
  };
}

/** Whether the platform refused because it does not know the app. */
export function isUnknownApp(error: unknown): boolean {
  const cause = error instanceof PlatformFailure ? error.cause : undefined;
  return cause instanceof oauth.ResponseBodyError && isAppError(cause.error);
}

/** Servers that name themselves in the answer do it with a path or without; another host's name is refused. */
function issuerOf({ pageUrl }: AuthorizationServer, answer: URLSearchParams): string {
  const { origin } = new URL(pageUrl);
  const said = answer.get('iss');
  return said !== null && URL.parse(said)?.origin === origin ? said : origin;
}

/** What an exchange that went wrong means. @param name of the server, as people know it */
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
