/** Facebook's consent dialog for the operator's Meta app. Users grant there what Facebook and Instagram need. */
import { z } from 'zod';
import { PlatformFailure, type PlatformApp, type PlatformIo } from '../contract.ts';
import { throwRefusal } from '../failure.ts';
import { callGraph, GRAPH_VERSION, type GraphAnswer, graphFailures } from './graph.ts';
import type { OauthConnect, OauthIo, OauthRequest, Typed } from '../connect.ts';
import { withoutPublishing } from '../http.ts';

/** The platform-specific part of the dialog: what to request, and how to read the result. */
interface MetaOauth<Input, Page extends ManagedPage> {
  /** The platform's display name. */
  readonly name: string;
  readonly scopes: readonly string[];
  /** Fields to request of each Page besides id, name, access_token and tasks. */
  readonly fields?: string;
  readonly Page: z.ZodType<Page>;
  /** Returns what can be linked through a Page that the user may post to; null when there is nothing. */
  accountOf(page: Page & { access_token: string }): { label: string; credentials: Input } | null;
  /** Message for a user who has nothing to link. */
  readonly nothing: string;
}

/** A Page in a user's list. */
export const ManagedPage = z.object({
  id: z.string(),
  name: z.string(),
  access_token: z.string().optional(),
  tasks: z.array(z.string()).optional(),
});
type ManagedPage = z.infer<typeof ManagedPage>;

/** The last part of a list has cursors, but no address of a next one. */
const Paging = z.object({ cursors: z.object({ after: z.string() }).optional(), next: z.string().optional() });

const Token = z.object({ access_token: z.string().min(1) });

/**
 * The Page tasks of which a user needs one so that the app can post on its behalf. Pages of the New Pages Experience may
 * list only the ones with a prefix.
 *
 * @see https://developers.facebook.com/docs/pages-api/manage-pages
 */
const POSTING_TASKS: readonly string[] = [
  'CREATE_CONTENT',
  'MANAGE',
  'PROFILE_PLUS_CREATE_CONTENT',
  'PROFILE_PLUS_MANAGE',
  'PROFILE_PLUS_FULL_CONTROL',
];

/** Pages to request at once; Meta gives no more. */
const AT_ONCE = 100;

/** Requests after which the list ends: the user can choose between as many Pages as they give. */
const REQUESTS_MAX = 10;

export function metaOauth<Input, Page extends ManagedPage>(flow: MetaOauth<Input, Page>): OauthConnect<Input> {
  return {
    isSetUp: ({ meta }) => meta !== null,
    // On phones, the dialog redirects to another host for login.
    pageSources: ({ META_AUTH_URL }) => [META_AUTH_URL, 'https://m.facebook.com'],
    begin: (_typed: Typed, { redirectUri, state }, io) => begin(flow, { redirectUri, state }, io),
    finish: (answer, request, _memo, io) => withoutPublishing(() => finish(flow, answer, request, io)),
  };
}

async function begin<Input, Page extends ManagedPage>(
  { name, scopes }: MetaOauth<Input, Page>,
  { redirectUri, state }: Pick<OauthRequest, 'redirectUri' | 'state'>,
  io: OauthIo,
) {
  const url = new URL(`${io.endpoints.META_AUTH_URL}/${GRAPH_VERSION}/dialog/oauth`);
  const { clientId } = appOf(io, name);
  const scope = scopes.join(',');
  const query = { client_id: clientId, redirect_uri: redirectUri, state, response_type: 'code', scope };
  url.search = new URLSearchParams(query).toString();
  return { url: url.href, memo: {} };
}

/** A Page token that was made from a long-lived user token does not expire. */
async function finish<Input, Page extends ManagedPage>(
  flow: MetaOauth<Input, Page>,
  answer: URLSearchParams,
  { redirectUri }: OauthRequest,
  io: OauthIo,
) {
  const { name } = flow;
  const code = answer.get('code');
  if (code === null) {
    throw new PlatformFailure('rejected', `${name} refused: ${answer.get('error_description') ?? 'no code'}`);
  }
  const short = await token(io, name, { redirect_uri: redirectUri, code });
  const long = await token(io, name, { grant_type: 'fb_exchange_token', fb_exchange_token: short });
  const pages = await managedPages(io, flow, long);
  const usable = pages.flatMap((page) => {
    const { access_token: accessToken, tasks } = page;
    if (accessToken === undefined || tasks?.some((task) => POSTING_TASKS.includes(task)) === false) return [];
    return flow.accountOf({ ...page, access_token: accessToken }) ?? [];
  });
  if (usable.length > 0) return usable;
  throw new PlatformFailure('rejected', flow.nothing);
}

async function managedPages<Input, Page extends ManagedPage>(
  io: OauthIo,
  { name, fields, Page }: MetaOauth<Input, Page>,
  accessToken: string,
): Promise<Page[]> {
  const asked = ['id,name,access_token,tasks', ...(fields === undefined ? [] : [fields])].join(',');
  const Listed = z.object({ data: z.array(Page), paging: Paging.optional().catch(undefined) });
  const pages: Page[] = [];
  let after: string | undefined;
  for (let request = 0; request < REQUESTS_MAX; request += 1) {
    const query = { fields: asked, limit: String(AT_ONCE), ...(after !== undefined && { after }) };
    const answered = await callGraph(io, accessToken, `${rootOf(io)}/me/accounts`, { query });
    const listed = Listed.safeParse(ok(name, answered).body);
    if (!listed.success) throw new PlatformFailure('unavailable', `${name} answered without your Pages.`);
    pages.push(...listed.data.data);
    const { next, cursors } = listed.data.paging ?? {};
    // The address of the next part has the token in it, so only its cursor is used.
    after = next === undefined ? undefined : cursors?.after;
    if (after === undefined) break;
  }
  return pages;
}

/** Requests a token of the app itself, which reaches no page. Facebook, Instagram: Access Token Guide, App Access Tokens. */
export async function checkMetaApp(io: PlatformIo, name: string): Promise<void> {
  await token(io, name, { grant_type: 'client_credentials' });
}

async function token(io: PlatformIo, name: string, parameters: Readonly<Record<string, string>>): Promise<string> {
  const { clientId, clientSecret } = appOf(io, name);
  const form = new URLSearchParams({ client_id: clientId, client_secret: clientSecret ?? '', ...parameters });
  const call = { method: 'POST', urlencoded: form } as const;
  const answer = await callGraph(io, null, `${rootOf(io)}/oauth/access_token`, call);
  const parsed = Token.safeParse(ok(name, answer).body);
  if (!parsed.success) throw new PlatformFailure('unavailable', `${name} answered without a token.`);
  return parsed.data.access_token;
}

function ok(name: string, answer: GraphAnswer): GraphAnswer {
  if (answer.status === 200) return answer;
  return throwRefusal(graphFailures({ name }).failure(answer));
}

function rootOf({ endpoints }: PlatformIo): string {
  return `${endpoints.META_GRAPH_URL}/${GRAPH_VERSION}`;
}

function appOf({ apps }: PlatformIo, name: string): PlatformApp {
  if (apps.meta === null) throw new PlatformFailure('unavailable', `${name} is not set up on this install any more.`);
  return apps.meta;
}
