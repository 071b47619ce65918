/**
 * How a customer links LinkedIn: on its own page, with the operator's registered app. They choose themselves or
 * one of their pages.
 */
import pLimit from 'p-limit';
import { PlatformFailure } from '../contract.ts';
import { throwRefusal } from '../failure.ts';
import type { HostedConnect, OauthAccount, OauthIo, OauthRequest, Typed } from '../connect.ts';
import { platformWords, withoutPublishing } from '../http.ts';
import { type TokenGrant, tokensOf } from '../oauth-credential.ts';
import { requestTokens } from '../token-endpoint.ts';
import { listPageIds, readMember, readPage } from './accounts.ts';
import { appOf, endpointOf } from './credential.ts';

/** The credentials that POST /connections accepts. */
interface Credentials {
  accessToken: string;
  refreshToken?: string | undefined;
  expiresAt?: string | undefined;
  organizationId?: string | undefined;
}

/** Scopes of which any one lets the app list a member's pages. */
const PAGE_SCOPES = ['rw_organization_admin', 'r_organization_admin'];

export const hosted: HostedConnect<Credentials> = {
  fields: [],
  oauth: {
    isSetUp: ({ linkedin }) => linkedin !== null,
    cancelErrors: ['user_cancelled_login', 'user_cancelled_authorize', 'access_denied'],
    pageSources: ({ LINKEDIN_AUTH_URL }) => [LINKEDIN_AUTH_URL],
    begin,
    finish,
  },
};

async function begin(_typed: Typed, { redirectUri, state }: OauthRequest, io: OauthIo) {
  const { clientId, scopes } = appOf(io);
  const url = new URL(`${io.endpoints.LINKEDIN_AUTH_URL}/oauth/v2/authorization`);
  const query = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, state };
  url.search = new URLSearchParams({ ...query, scope: scopes.join(' ') }).toString();
  return { url: url.href, memo: {} };
}

function finish(
  answer: URLSearchParams,
  { redirectUri }: OauthRequest,
  _memo: unknown,
  io: OauthIo,
): Promise<readonly OauthAccount<Credentials>[]> {
  return withoutPublishing(async () => {
    const grant = await exchange(answer, redirectUri, io);
    const credential = tokensOf(grant);
    const member = await readMember(io, grant.accessToken);
    // LinkedIn grants either all requested scopes or none.
    const { scopes } = appOf(io);
    const own = member === null ? [] : [{ label: member.name, credentials: credential, scopes }];
    if (!scopes.some((scope) => PAGE_SCOPES.includes(scope))) return own;
    const { pages, failures } = await readPages(io, grant.accessToken);
    const accounts = [
      ...own,
      ...pages.map(({ name, organizationId }) => ({
        label: name,
        credentials: { ...credential, organizationId },
        scopes,
      })),
    ];
    if (accounts.length === 0 && failures[0] !== undefined) throw failures[0];
    return accounts;
  });
}

/** Pages to read at the same time. */
const AT_ONCE = 20;

/** A page that cannot be read, for example because it is a showcase page, does not keep the member from connecting the others. */
async function readPages(io: OauthIo, accessToken: string) {
  const ids = await listPageIds(io, accessToken);
  const failures: PlatformFailure[] = [];
  const pages = await pLimit(AT_ONCE).map(ids, (id) =>
    readPage(io, accessToken, id).catch((error: unknown) => {
      if (!(error instanceof PlatformFailure)) throw error;
      failures.push(error);
      return null;
    }),
  );
  return { pages: pages.filter((page) => page !== null), failures };
}

async function exchange(answer: URLSearchParams, redirectUri: string, io: OauthIo): Promise<TokenGrant> {
  const code = answer.get('code');
  if (code === null) {
    const words = platformWords(answer.get('error_description') ?? answer.get('error') ?? 'it sent no code');
    throw new PlatformFailure('rejected', `LinkedIn refused: ${words}`);
  }
  const parameters = { code, redirect_uri: redirectUri };
  return requestTokens(io, endpointOf(io), 'authorization_code', parameters).catch(throwRefusal);
}
