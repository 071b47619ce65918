/** How a customer links an X account: on X's own page, with the operator's registered app. */
import { type ClientAuth, None } from 'oauth4webapi';
import { basicAuthorization } from '../basic-authorization.ts';
import { PlatformFailure, type PlatformApp, type PlatformEndpoints } from '../contract.ts';
import type { HostedConnect, OauthIo, OauthRequest, Typed } from '../hosted.ts';
import { type AuthorizationServer, consentUrl, exchangeCode } from '../oauth.ts';
import { expiryOf } from '../oauth-token.ts';
import { grantedScopes } from '../scopes.ts';

const SCOPE = 'tweet.read tweet.write users.read media.write offline.access';

/** The credentials that POST /connections accepts. */
interface Credentials {
  accessToken: string;
  refreshToken?: string | undefined;
  expiresAt?: string | undefined;
}

export const hosted: HostedConnect<Credentials> = {
  fields: [],
  oauth: {
    isSetUp: ({ x }) => x !== null,
    pageSources: ({ X_AUTH_URL }) => [X_AUTH_URL],
    begin,
    finish,
  },
};

/** @see https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code */
function serverAt({ X_AUTH_URL, X_API_URL }: PlatformEndpoints): AuthorizationServer {
  return {
    name: 'X',
    pageUrl: `${X_AUTH_URL}/i/oauth2/authorize`,
    tokenUrl: `${X_API_URL}/2/oauth2/token`,
    scope: SCOPE,
  };
}

async function begin(_typed: Typed, request: OauthRequest, io: OauthIo) {
  return { url: await consentUrl(serverAt(io.endpoints), appOf(io).clientId, request), memo: {} };
}

async function finish(answer: URLSearchParams, request: OauthRequest, _memo: unknown, io: OauthIo) {
  const app = appOf(io);
  const grant = await exchangeCode(io, serverAt(io.endpoints), app.clientId, proofOf(app), answer, request);
  const { accessToken, refreshToken, expiresIn } = grant;
  const scopes = grantedScopes(grant.said, SCOPE);
  const expiresAt = expiryOf(expiresIn, io.now()) ?? undefined;
  return [{ label: 'X', credentials: { accessToken, refreshToken, expiresAt }, scopes }];
}

function appOf({ apps }: OauthIo): PlatformApp {
  if (apps.x === null) throw new PlatformFailure('unavailable', 'X is not set up on this install any more.');
  return apps.x;
}

/** X reads the id and secret unencoded, although the standard requires each to be URL-encoded. */
function proofOf({ clientId, clientSecret }: PlatformApp): ClientAuth {
  if (clientSecret === undefined) return None();
  return (_as, _client, _body, headers) => headers.set('authorization', basicAuthorization(clientId, clientSecret));
}
