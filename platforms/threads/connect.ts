/** How a customer links a Threads account: on Threads' own page, with the operator's registered app. */
import { z } from 'zod';
import { PlatformFailure, type PlatformApp } from '../contract.ts';
import { throwRefusal } from '../failure.ts';
import { callGraph } from '../meta/graph.ts';
import type { HostedConnect, OauthIo, OauthRequest, Typed } from '../connect.ts';
import { withoutPublishing } from '../http.ts';
import { failure, longLived } from './api.ts';

/** The credentials that POST /connections accepts. */
interface Credentials {
  accessToken: string;
  expiresAt?: string | undefined;
}

const SCOPES = ['threads_basic', 'threads_content_publish'];

/** Hosts to which the consent page redirects: its other names, and Instagram for login. */
const LED_ON_TO = ['https://www.threads.net', 'https://www.threads.com', 'https://www.instagram.com'];

const Token = z.object({ access_token: z.string().min(1) });

export const hosted: HostedConnect<Credentials> = {
  fields: [],
  oauth: {
    isSetUp: ({ threads }) => threads !== null,
    pageSources: ({ THREADS_AUTH_URL }) => [THREADS_AUTH_URL, ...LED_ON_TO],
    begin,
    finish,
  },
};

/** @see https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions/ */
async function begin(_typed: Typed, { redirectUri, state }: OauthRequest, io: OauthIo) {
  const url = new URL(`${io.endpoints.THREADS_AUTH_URL}/oauth/authorize`);
  const { clientId } = appOf(io);
  const scope = SCOPES.join(',');
  const query = { client_id: clientId, redirect_uri: redirectUri, state, response_type: 'code', scope };
  url.search = new URLSearchParams(query).toString();
  return { url: url.href, memo: {} };
}

/** The code yields a token for an hour, which is exchanged for one of sixty days. */
function finish(answer: URLSearchParams, { redirectUri }: OauthRequest, _memo: unknown, io: OauthIo) {
  return withoutPublishing(async () => {
    const code = answer.get('code');
    if (code === null) {
      throw new PlatformFailure('rejected', `Threads refused: ${answer.get('error_description') ?? 'no code'}`);
    }
    const secret = appOf(io).clientSecret ?? '';
    // Threads appends a suffix to its codes that is not part of them.
    const short = await exchange(io, { code: code.replace(/#_$/, ''), redirect_uri: redirectUri });
    const exchanged = { grant_type: 'th_exchange_token', client_secret: secret };
    const { accessToken, expiresAt } = await longLived(io, 'access_token', exchanged, short).catch(throwRefusal);
    return [{ label: 'Threads', credentials: { accessToken, expiresAt: expiresAt ?? undefined } }];
  });
}

async function exchange(io: OauthIo, parameters: Readonly<Record<string, string>>): Promise<string> {
  const { clientId, clientSecret = '' } = appOf(io);
  const form = { client_id: clientId, client_secret: clientSecret, grant_type: 'authorization_code', ...parameters };
  const address = `${io.endpoints.THREADS_API_URL}/oauth/access_token`;
  const answer = await callGraph(io, null, address, { method: 'POST', urlencoded: new URLSearchParams(form) });
  if (answer.status !== 200) return throwRefusal(failure(answer));
  const token = Token.safeParse(answer.body);
  if (token.success) return token.data.access_token;
  throw new PlatformFailure('unavailable', 'Threads answered without a token.');
}

function appOf({ apps }: OauthIo): PlatformApp {
  if (apps.threads === null) {
    throw new PlatformFailure('unavailable', 'Threads is not set up on this install any more.');
  }
  return apps.threads;
}
