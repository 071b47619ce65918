/** How a customer links an X account: on X's own page, with the operator's registered app. */
import type { PlatformEndpoints } from '../contract.ts';
import type { HostedConnect, OauthIo, OauthRequest, Typed } from '../connect.ts';
import { type AuthorizationServer, consentUrl, exchangeCode } from '../oauth.ts';
import { expiryOf } from '../oauth-credential.ts';
import { grantedScopes } from '../scopes.ts';
import { appOf, proofOf } from './credential.ts';

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
