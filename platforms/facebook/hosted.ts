/** How a customer links a Page: by Facebook's dialog, to the app that the operator has registered, and a choice of their Pages. */
import { z } from 'zod';
import { PlatformFailure, type PlatformApp } from '../contract.ts';
import type { HostedConnect, OauthIo, OauthRequest, Typed } from '../hosted.ts';
import { withoutPublishing } from '../http.ts';
import { API_VERSION, callGraph, failure, type GraphAnswer } from './api.ts';

/** What POST /connections takes. */
interface Credentials {
  pageId: string;
  accessToken: string;
}

const SCOPES = ['pages_show_list', 'pages_read_engagement', 'pages_manage_posts', 'pages_manage_engagement'];

/** What a person must be allowed on a Page, for posts to go out in its name. */
const TASK = 'CREATE_CONTENT';

/** Pages that are asked for; few people have more. */
const PAGES_MAX = 100;

const Token = z.object({ access_token: z.string().min(1) });
const Pages = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      access_token: z.string().optional(),
      tasks: z.array(z.string()).optional(),
    }),
  ),
});

export const hosted: HostedConnect<Credentials> = {
  fields: [],
  oauth: {
    isSetUp: ({ meta }) => meta !== null,
    // On a phone the dialog asks people to log in at another host.
    pageSources: ({ META_AUTH_URL }) => [META_AUTH_URL, 'https://m.facebook.com'],
    begin,
    finish,
  },
};

async function begin(_typed: Typed, { redirectUri, state }: OauthRequest, io: OauthIo) {
  const url = new URL(`${io.endpoints.META_AUTH_URL}/${API_VERSION}/dialog/oauth`);
  const { clientId } = appOf(io);
  const scope = SCOPES.join(',');
  const query = { client_id: clientId, redirect_uri: redirectUri, state, response_type: 'code', scope };
  url.search = new URLSearchParams(query).toString();
  return { url: url.href, memo: {} };
}

/** A Page's token that was made from a person's long-lived one does not run out. */
function finish(answer: URLSearchParams, { redirectUri }: OauthRequest, _memo: unknown, io: OauthIo) {
  return withoutPublishing(async () => {
    const code = answer.get('code');
    if (code === null) {
      throw new PlatformFailure('rejected', `Facebook refused: ${answer.get('error_description') ?? 'no code'}`);
    }
    const short = await token(io, { redirect_uri: redirectUri, code });
    const long = await token(io, { grant_type: 'fb_exchange_token', fb_exchange_token: short });
    const fields = 'id,name,access_token,tasks';
    const answered = await callGraph(io, { pageId: '', accessToken: long }, 'me/accounts', {
      query: { fields, limit: String(PAGES_MAX) },
    });
    const pages = Pages.safeParse(ok(answered).body);
    if (!pages.success) throw new PlatformFailure('unavailable', 'Facebook answered without your Pages.');
    const usable = pages.data.data.flatMap(({ id, name, access_token: accessToken, tasks }) =>
      accessToken === undefined || tasks?.includes(TASK) === false
        ? []
        : [{ label: name, credentials: { pageId: id, accessToken } }],
    );
    if (usable.length > 0) return usable;
    throw new PlatformFailure('rejected', 'Facebook shows no Page that you may post to and have allowed.');
  });
}

async function token(io: OauthIo, parameters: Readonly<Record<string, string>>): Promise<string> {
  const { clientId, clientSecret } = appOf(io);
  const form = new URLSearchParams({ client_id: clientId, client_secret: clientSecret ?? '', ...parameters });
  const answer = await callGraph(io, null, 'oauth/access_token', { method: 'POST', urlencoded: form });
  const parsed = Token.safeParse(ok(answer).body);
  if (!parsed.success) throw new PlatformFailure('unavailable', 'Facebook answered without a token.');
  return parsed.data.access_token;
}

function ok(answer: GraphAnswer): GraphAnswer {
  if (answer.status === 200) return answer;
  const refused = failure(answer);
  // Nothing can be reconnected here: what is refused is the code.
  throw refused.kind === 'reconnect' ? new PlatformFailure('rejected', refused.message, { cause: refused }) : refused;
}

function appOf({ apps }: OauthIo): PlatformApp {
  if (apps.meta === null) throw new PlatformFailure('unavailable', 'Facebook is not set up on this install any more.');
  return apps.meta;
}
