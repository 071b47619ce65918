/** How a customer links a Mastodon account: on the server's own page, with an app that is registered there once. */
import { ClientSecretPost } from 'oauth4webapi';
import { z } from 'zod';
import { PlatformFailure, type PlatformApp, type PlatformIo } from '../contract.ts';
import type { HostedConnect, OauthIo, OauthRequest, Typed } from '../connect.ts';
import { callPlatform, isTemporary, withoutPublishing } from '../http.ts';
import { type AuthorizationServer, consentUrl, exchangeCode, isUnknownApp } from '../oauth.ts';
import { originOf, ServerAddress } from '../origin.ts';
import { grantedScopes } from '../scopes.ts';

/** The credentials that POST /connections accepts. */
interface Credentials {
  instanceUrl: string;
  accessToken: string;
}

/** The requested scopes: identify the account, find posts again, and post. */
const SCOPES = 'read:accounts read:statuses write:statuses write:media';

/** The app's name on the server's consent page. */
const APP_NAME = 'Carillon';

const Registered = z.object({ client_id: z.string().min(1), client_secret: z.string().min(1) });

/** State that is kept until the customer returns. It includes the app, because another may be registered meanwhile. */
const Memo = z.object({ origin: z.string(), clientId: z.string(), clientSecret: z.string() });

export const hosted: HostedConnect<Credentials> = {
  fields: [
    {
      name: 'instanceUrl',
      label: 'Server',
      hint: 'The server of your account, such as mastodon.social.',
      kind: 'server',
      required: true,
    },
  ],
  oauth: { isSetUp: () => true, pageSources: () => null, begin, finish },
};

function serverAt(origin: string): AuthorizationServer {
  return {
    name: new URL(origin).host,
    pageUrl: `${origin}/oauth/authorize`,
    tokenUrl: `${origin}/oauth/token`,
    scope: SCOPES,
  };
}

async function begin(typed: Typed, request: OauthRequest, io: OauthIo) {
  const address = ServerAddress.safeParse(typed['instanceUrl']);
  if (!address.success) throw new PlatformFailure('rejected', 'Server: expected an address such as mastodon.social.');
  const origin = originOf(address.data);
  const { clientId, clientSecret = '' } = await io.keptApp(origin, () => register(io, origin, request.redirectUri));
  return { url: await consentUrl(serverAt(origin), clientId, request), memo: { origin, clientId, clientSecret } };
}

/** @see https://docs.joinmastodon.org/methods/apps/#create */
function register(io: PlatformIo, origin: string, redirectUri: string): Promise<PlatformApp> {
  const json = { client_name: APP_NAME, redirect_uris: redirectUri, scopes: SCOPES, website: io.endpoints.PUBLIC_URL };
  return withoutPublishing(async () => {
    const answer = await callPlatform(io, `${origin}/api/v1/apps`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(json),
    });
    const app = Registered.safeParse(answer.body);
    if (answer.status === 200 && app.success) {
      return { clientId: app.data.client_id, clientSecret: app.data.client_secret };
    }
    if (isTemporary(answer)) {
      throw new PlatformFailure('unavailable', `${new URL(origin).host} answered HTTP ${answer.status}.`);
    }
    throw new PlatformFailure('rejected', `${new URL(origin).host} does not answer as a Mastodon server.`);
  });
}

async function finish(answer: URLSearchParams, request: OauthRequest, kept: unknown, io: OauthIo) {
  const { origin, clientId, clientSecret } = Memo.parse(kept);
  const server = serverAt(origin);
  try {
    const grant = await exchangeCode(io, server, clientId, ClientSecretPost(clientSecret), answer, request);
    const scopes = grantedScopes(grant.said, SCOPES);
    return [{ label: server.name, credentials: { instanceUrl: origin, accessToken: grant.accessToken }, scopes }];
  } catch (error) {
    // The server has deleted the app; the next attempt registers a new one.
    if (isUnknownApp(error)) await io.forgetApp(origin);
    throw error;
  }
}
