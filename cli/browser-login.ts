/**
 * Signs in through the browser (RFC 8252): registers a client, opens the consent page, receives the code at a loopback address, and
 * exchanges it for the tokens of a grant (docs/guide/command-line.md#sign-in).
 */
import * as oauth from 'oauth4webapi';
import { hostname } from 'node:os';
import type { Io } from './io.ts';
import { CommandError } from './failure.ts';
import type { GrantLogin } from './stored-login.ts';

/** What the authorization server calls the API of an install. */
const API_PATH = '/api/v2';

/** Answers to a refresh token whose grant has ended. The install forgets the client of a grant that it has removed. */
const ENDED: readonly string[] = ['invalid_grant', 'invalid_client'];

type Requesting = Pick<Io, 'fetch' | 'signal'>;

/** Installs on this machine have no TLS. */
function requestOptions({ fetch: request, signal }: Requesting) {
  return {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (url: string, init: object) => request(url, init),
    signal,
  };
}

/** The authorization server of an install. @throws CommandError when the address is not the install's own */
export async function authorizationServerOf(io: Requesting, url: string): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(url);
  const response = await oauth.discoveryRequest(issuer, { ...requestOptions(io), algorithm: 'oauth2' });
  const document = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { issuer?: unknown };
  if (typeof document.issuer === 'string' && document.issuer !== url) {
    throw new CommandError(
      'failed',
      `The install at ${url} has the address ${document.issuer}, and signs people in there only.`,
      `Run: carillon login --url ${document.issuer}`,
    );
  }
  return oauth.processDiscoveryResponse(issuer, response);
}

/**
 * @param onAddress receives the address that the person opens
 * @throws CommandError when the person denies, or the answer is not that of this request
 */
export async function signInWithBrowser(
  io: Pick<Io, 'fetch' | 'signal' | 'clock' | 'receiveRedirect'>,
  url: string,
  onAddress: (address: string) => void,
): Promise<GrantLogin> {
  const server = await authorizationServerOf(io, url);
  await using redirect = await io.receiveRedirect();
  const client = await register(io, server, redirect.uri);
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const asked = {
    client_id: client.client_id,
    redirect_uri: redirect.uri,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: url + API_PATH,
    scope: (server.scopes_supported ?? []).join(' '),
    state,
  };
  onAddress(`${server.authorization_endpoint}?${new URLSearchParams(asked).toString()}`);
  const received = await redirect.received(io.signal);
  const code = checked(() => oauth.validateAuthResponse(server, client, received, state));
  const none = oauth.None();
  const options = requestOptions(io);
  const answer = await oauth.authorizationCodeGrantRequest(server, client, none, code, redirect.uri, verifier, options);
  return loginOf(io, url, client.client_id, await oauth.processAuthorizationCodeResponse(server, client, answer));
}

async function register(io: Requesting, server: oauth.AuthorizationServer, uri: string): Promise<oauth.Client> {
  const metadata = {
    client_name: `Carillon command line on ${hostname()}`.slice(0, 80),
    redirect_uris: [uri],
    token_endpoint_auth_method: 'none',
  };
  const answer = await oauth.dynamicClientRegistrationRequest(server, metadata, requestOptions(io));
  return oauth.processDynamicClientRegistrationResponse(answer) as Promise<oauth.Client>;
}

/** New tokens for a login. @throws CommandError notSignedIn when the grant has ended */
export async function renewLogin(
  io: Pick<Io, 'fetch' | 'signal' | 'clock'>,
  { url, clientId, refreshToken }: GrantLogin,
): Promise<GrantLogin> {
  const server = await authorizationServerOf(io, url);
  const client = { client_id: clientId };
  const none = oauth.None();
  const answer = await oauth.refreshTokenGrantRequest(server, client, none, refreshToken, requestOptions(io));
  try {
    return loginOf(io, url, clientId, await oauth.processRefreshTokenResponse(server, client, answer), refreshToken);
  } catch (error) {
    if (!(error instanceof oauth.ResponseBodyError) || !ENDED.includes(error.error)) throw error;
    throw new CommandError(
      'notSignedIn',
      'The sign-in has ended: it was revoked, or not used for 90 days.',
      `Run: carillon login --url ${url}`,
    );
  }
}

/** Ends the grant of a login. */
export async function endLogin(io: Requesting, { url, clientId, refreshToken }: GrantLogin): Promise<void> {
  const server = await authorizationServerOf(io, url);
  const client = { client_id: clientId };
  const answer = await oauth.revocationRequest(server, client, oauth.None(), refreshToken, requestOptions(io));
  await oauth.processRevocationResponse(answer);
}

function loginOf(
  { clock }: Pick<Io, 'clock'>,
  url: string,
  clientId: string,
  tokens: oauth.TokenEndpointResponse,
  previous = '',
): GrantLogin {
  const { access_token: accessToken, refresh_token: refreshToken = previous, expires_in: seconds = 0 } = tokens;
  return { url, clientId, accessToken, refreshToken, expiresAt: clock.now().getTime() + seconds * 1000 };
}

function checked<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied') {
      throw new CommandError('notSignedIn', 'The sign-in was denied in the browser.');
    }
    throw error;
  }
}
