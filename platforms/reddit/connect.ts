/**
 * How a customer links Reddit: on its own page, with the operator's registered app. They choose their profile or a
 * community that they moderate.
 */
import { PlatformFailure } from '../contract.ts';
import { throwRefusal } from '../failure.ts';
import type { HostedConnect, OauthAccount, OauthIo, OauthRequest, Typed } from '../connect.ts';
import { platformWords, withoutPublishing } from '../http.ts';
import { type TokenGrant, tokensOf } from '../oauth-credential.ts';
import { requestTokens } from '../token-endpoint.ts';
import { listModerated, readAccount } from './accounts.ts';
import { appOf, endpointOf } from './credential.ts';

/** The credentials that POST /connections accepts. */
interface Credentials {
  accessToken: string;
  refreshToken?: string | undefined;
  expiresAt?: string | undefined;
  subreddit?: string | undefined;
}

const SCOPES = ['identity', 'submit', 'edit', 'read', 'history', 'mysubreddits'];

export const hosted: HostedConnect<Credentials> = {
  fields: [],
  oauth: {
    isSetUp: ({ reddit }) => reddit !== null,
    pageSources: ({ REDDIT_AUTH_URL }) => [REDDIT_AUTH_URL],
    begin,
    finish,
  },
};

async function begin(_typed: Typed, { redirectUri, state }: OauthRequest, io: OauthIo) {
  const url = new URL(`${io.endpoints.REDDIT_AUTH_URL}/api/v1/authorize`);
  const query = { client_id: appOf(io).clientId, response_type: 'code', state, redirect_uri: redirectUri };
  // Permanent: the grant includes a refresh token.
  url.search = new URLSearchParams({ ...query, duration: 'permanent', scope: SCOPES.join(' ') }).toString();
  return { url: url.href, memo: {} };
}

function finish(
  answer: URLSearchParams,
  { redirectUri }: OauthRequest,
  _memo: unknown,
  io: OauthIo,
): Promise<readonly OauthAccount<Credentials>[]> {
  return withoutPublishing(async () => {
    const credential = tokensOf(await exchange(answer, redirectUri, io));
    const { accessToken } = credential;
    const { username } = await readAccount(io, accessToken);
    const communities = await listModerated(io, accessToken);
    return [
      { label: `u/${username}`, credentials: credential, scopes: SCOPES },
      ...communities.map((name) => ({
        label: `r/${name}`,
        credentials: { ...credential, subreddit: name },
        scopes: SCOPES,
      })),
    ];
  });
}

async function exchange(answer: URLSearchParams, redirectUri: string, io: OauthIo): Promise<TokenGrant> {
  const code = answer.get('code');
  if (code === null) {
    throw new PlatformFailure('rejected', `Reddit refused: ${platformWords(answer.get('error') ?? 'it sent no code')}`);
  }
  const parameters = { code, redirect_uri: redirectUri };
  return requestTokens(io, endpointOf(io), 'authorization_code', parameters).catch(throwRefusal);
}
