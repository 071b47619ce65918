/** A small version of Reddit's API: expiring tokens, communities, titles, images that appear late, errors with HTTP 200. */
import { domainToASCII } from 'node:url';
import { type Consent, createConsent } from './fake-consent.ts';
import {
  bearer,
  type Fault,
  type NoAnswer,
  startWire,
  type Wire,
  type WireAnswer,
  type WireCall,
  withFault,
  type WireOptions,
} from './wire.ts';

export interface FakeRedditOptions extends WireOptions {
  /** The app of this install. (Default: none) */
  readonly app?: { readonly clientId: string; readonly clientSecret: string };
}

export interface FakeRedditAccount {
  readonly id: string;
  readonly username: string;
  /** Valid tokens; remove one to revoke it. */
  readonly accessTokens: Set<string>;
  readonly refreshTokens: Set<string>;
  /** Names of communities. */
  readonly moderates: Set<string>;
  readonly bannedFrom: Set<string>;
}

export interface FakeRedditPost {
  readonly name: string;
  readonly subreddit: string;
  author: string;
  readonly kind: 'self' | 'link' | 'image';
  readonly title: string;
  /** Markdown. */
  selftext: string;
  readonly url: string;
  readonly createdAt: Date;
  /** Number of further requests for the account's posts before this one appears. */
  looksLeft: number;
}

export interface FakeReddit extends Wire {
  /** Reddit's consent page. */
  readonly consent: Consent;
  addAccount(username: string, accessToken: string, refreshToken?: string): FakeRedditAccount;
  addCommunity(name: string): void;
  /** Published posts, oldest first. */
  posts(): FakeRedditPost[];
  /** Uploaded images, by key. */
  readonly uploads: Map<string, { readonly bytes: Buffer; readonly type: string }>;
  /** Number of requests before a new post with an image appears. */
  looksUntilMade: number;
  /** Faults for the next create calls, one each. */
  readonly faults: (Fault | WireAnswer | undefined)[];
  /** Responses that replace those of the next calls of a route, e.g. for `POST /api/submit`. */
  readonly answers: Record<string, WireAnswer[]>;
  /** Number of calls by method and path, with `:name` for names. */
  readonly calls: Record<string, number>;
  /** The last call of each route. */
  readonly lastCalls: Record<string, WireCall>;
}

const TITLE_MAX = 300;
const TEXT_MAX = 40_000;
const TOKEN_SECONDS = 86_400;
// Reddit stores its ASCII form.
const OTHER_HOST = /(?<=^https?:\/\/)[^/:?#]*[^\x21-\x7e][^/:?#]*/iu;

export async function startFakeReddit({ now, port, tap, app }: FakeRedditOptions): Promise<FakeReddit> {
  const accounts: FakeRedditAccount[] = [];
  const communities = new Set<string>();
  const posts: FakeRedditPost[] = [];
  const leases = new Set<string>();
  const consent = createConsent();
  let last = 0;
  const nextId = () => (2_000_000_000 + (last += 1)).toString(36);

  function submit(call: WireCall, account: FakeRedditAccount): WireAnswer {
    const form = formOf(call);
    const [title, kind, text] = [form.get('title') ?? '', form.get('kind'), form.get('text') ?? ''];
    const asked = form.get('sr') ?? '';
    const own = `u_${account.username}`;
    const subreddit = asked === own ? own : find(asked);
    if (form.get('api_type') !== 'json' || call.query.get('raw_json') !== '1') return { status: 400, json: {} };
    if (subreddit === undefined) return refusal('SUBREDDIT_NOEXIST', "that subreddit doesn't exist", 'sr');
    if (account.bannedFrom.has(subreddit)) {
      return refusal('SUBREDDIT_NOTALLOWED', "you aren't allowed to post there.", 'sr');
    }
    if (title === '') return refusal('NO_TEXT', 'we need something here', 'title');
    if ([...title].length > TITLE_MAX) return refusal('TOO_LONG', 'this is too long (max: 300)', 'title');
    if ([...text].length > TEXT_MAX) return refusal('TOO_LONG', 'this is too long (max: 40000)', 'text');
    if (kind !== 'self' && kind !== 'link' && kind !== 'image') return refusal('INVALID_OPTION', 'no kind', 'kind');
    const url = form.get('url') ?? '';
    if (kind !== 'self' && !URL.canParse(url)) return refusal('BAD_URL', 'you should check that url', 'url');
    if (kind === 'image' && !fake.uploads.has(url.split('/').at(-1) ?? '')) {
      return refusal('BAD_URL', 'that image is not here', 'url');
    }
    const id = nextId();
    const post: FakeRedditPost = {
      name: `t3_${id}`,
      subreddit,
      author: account.username,
      kind,
      title,
      selftext: text,
      url: kind === 'image' ? `https://i.redd.it/${id}.png` : url.replace(OTHER_HOST, domainToASCII),
      createdAt: now(),
      looksLeft: kind === 'image' ? fake.looksUntilMade : 0,
    };
    posts.push(post);
    if (kind === 'image') {
      const user_submitted_page = `https://www.reddit.com/user/${account.username}/submitted/`;
      return ok({ json: { errors: [], data: { user_submitted_page, websocket_url: 'wss://fake.example/1' } } });
    }
    return ok({ json: { errors: [], data: { url: addressOf(post), id, name: post.name } } });
  }

  function find(name: string): string | undefined {
    return [...communities].find((one) => one.toLowerCase() === name.toLowerCase());
  }

  function listSubmitted(name: string, query: URLSearchParams): WireAnswer {
    const own = posts.filter(({ author }) => author === name);
    for (const post of own) post.looksLeft -= 1;
    const shown = own.filter(({ looksLeft }) => looksLeft < 0).toReversed();
    return ok(listing(shown.slice(0, Number(query.get('limit') ?? 25)).map(viewOf)));
  }

  function info(query: URLSearchParams): WireAnswer {
    const names = (query.get('id') ?? '').split(',');
    return ok(listing(posts.filter(({ name }) => names.includes(name)).map(viewOf)));
  }

  /** Returns the same response whether or not it deleted the post. */
  function del(call: WireCall, account: FakeRedditAccount): WireAnswer {
    const post = posts.find(({ name }) => name === formOf(call).get('id'));
    if (post?.author === account.username) Object.assign(post, { author: DELETED, selftext: DELETED });
    return ok({});
  }

  function about(name: string, account: FakeRedditAccount): WireAnswer {
    const display_name = find(name);
    if (display_name === undefined) {
      return { status: 302, text: '', headers: { location: '/subreddits/search?q=' } };
    }
    return ok({ kind: 't5', data: { display_name, user_is_banned: account.bannedFrom.has(display_name) } });
  }

  function listModerated(query: URLSearchParams, { moderates, username }: FakeRedditAccount): WireAnswer {
    const names = [`u_${username}`, ...moderates];
    const start = names.indexOf(query.get('after') ?? '') + 1;
    const end = start + Number(query.get('limit') ?? 25);
    const after = end < names.length ? (names[end - 1] ?? null) : null;
    return ok(
      listing(
        names.slice(start, end).map((display_name) => ({ kind: 't5', data: { display_name } })),
        after,
      ),
    );
  }

  function lease(call: WireCall): WireAnswer {
    const form = formOf(call);
    if (!/^image\/(png|jpeg|gif)$/.test(form.get('mimetype') ?? '')) return { status: 400, json: {} };
    const key = nextId();
    leases.add(key);
    const fields = [
      { name: 'key', value: key },
      { name: 'success_action_status', value: '201' },
      { name: 'x-amz-signature', value: 'signed' },
    ];
    const asset = { asset_id: key, processing_state: 'incomplete', payload: { filepath: form.get('filepath') } };
    return ok({ args: { action: `${wire.url}/storage`, fields }, asset });
  }

  async function store({ form }: WireCall): Promise<WireAnswer> {
    const file = form?.get('file');
    const key = form?.get('key');
    if (!(file instanceof File) || typeof key !== 'string' || !leases.delete(key)) return { status: 403, text: '' };
    fake.uploads.set(key, { bytes: Buffer.from(await file.arrayBuffer()), type: file.type });
    return { status: 201, text: `<PostResponse><Key>${key}</Key></PostResponse>` };
  }

  function grant(call: WireCall): WireAnswer {
    const form = formOf(call);
    const basic = Buffer.from(`${app?.clientId}:${app?.clientSecret}`).toString('base64');
    if (app === undefined || call.headers.authorization !== `Basic ${basic}`) {
      return { status: 401, json: { message: 'Unauthorized', error: 401 } };
    }
    if (form.get('grant_type') === 'client_credentials') {
      return ok({ access_token: 'app', token_type: 'bearer', expires_in: TOKEN_SECONDS, scope: '*' });
    }
    const isNew = form.get('grant_type') === 'authorization_code';
    const who = isNew ? consent.redeem(app.clientId, form) : null;
    const stale = form.get('refresh_token') ?? '';
    const account = accounts.find((one) => (isNew ? one.username === who : one.refreshTokens.has(stale)));
    // An invalid code gets a success status, an invalid token does not.
    if (account === undefined) return { status: isNew ? 200 : 400, json: { error: 'invalid_grant' } };
    const access_token = `access-${nextId()}`;
    account.accessTokens.add(access_token);
    const refresh_token = isNew ? `refresh-${nextId()}` : stale;
    account.refreshTokens.add(refresh_token);
    return ok({ access_token, token_type: 'bearer', expires_in: TOKEN_SECONDS, scope: 'identity', refresh_token });
  }

  function create(make: () => WireAnswer): WireAnswer | NoAnswer {
    const fault = fake.faults.shift();
    if (typeof fault === 'object') return fault;
    return fault === 'rate_limited' ? rateLimited() : withFault(fault, make);
  }

  type Answer = WireAnswer | NoAnswer;
  const routes: Record<string, (call: WireCall, account: FakeRedditAccount, name: string) => Answer> = {
    'GET /api/v1/me': (_call, { id, username }) => ok({ id, name: username, icon_img: 'https://fake.example/a?b' }),
    'POST /api/submit': (call, account) => create(() => submit(call, account)),
    'POST /api/del': del,
    'GET /api/info': ({ query }) => info(query),
    'GET /user/:name/submitted': ({ query }, _account, name) => listSubmitted(name, query),
    'GET /r/:name/about': (_call, account, name) => about(name, account),
    'GET /subreddits/mine/moderator': ({ query }, account) => listModerated(query, account),
    'POST /api/media/asset.json': (call) => lease(call),
  };

  const wire = await startWire({ now, port, tap }, (call) => {
    const name = /^\/(?:user|r)\/([^/]+)\//.exec(call.path)?.[1] ?? '';
    const route = `${call.method} ${name === '' ? call.path : call.path.replace(name, ':name')}`;
    fake.calls[route] = (fake.calls[route] ?? 0) + 1;
    fake.lastCalls[route] = call;
    const scripted = fake.answers[route]?.shift();
    if (scripted !== undefined) return scripted;
    if (route === 'GET /api/v1/authorize') return consent.authorize(call.query);
    if (!/^web:[\w.:@-]+:v1 \(\+http/.test(call.headers['user-agent'] ?? '')) return { status: 429, json: {} };
    if (route === 'POST /api/v1/access_token') return grant(call);
    if (route === 'POST /storage') return store(call);
    const account = accounts.find(({ accessTokens }) => accessTokens.has(bearer(call) ?? ''));
    if (account === undefined) return { status: 401, json: { message: 'Unauthorized', error: 401 } };
    return routes[route]?.(call, account, name) ?? { status: 404, json: { message: 'Not Found', error: 404 } };
  });

  const fake: FakeReddit = {
    ...wire,
    consent,
    addAccount: (username, accessToken, refreshToken) => {
      const account: FakeRedditAccount = {
        id: nextId(),
        username,
        accessTokens: new Set([accessToken]),
        refreshTokens: new Set(refreshToken === undefined ? [] : [refreshToken]),
        moderates: new Set(),
        bannedFrom: new Set(),
      };
      accounts.push(account);
      return account;
    },
    addCommunity: (name) => void communities.add(name),
    posts: () => posts.filter(({ author }) => author !== DELETED),
    uploads: new Map(),
    looksUntilMade: 0,
    faults: [],
    answers: {},
    calls: {},
    lastCalls: {},
  };
  return fake;
}

const DELETED = '[deleted]';

function formOf({ bytes }: WireCall): URLSearchParams {
  return new URLSearchParams(bytes.toString());
}

function ok(json: unknown): WireAnswer {
  return { status: 200, json };
}

/** An error with HTTP 200. */
export function refusal(code: string, message: string, field: string, more: object = {}): WireAnswer {
  return ok({ json: { errors: [[code, message, field]], ...more } });
}

function rateLimited(): WireAnswer {
  return refusal('RATELIMIT', 'Take a break for 9 minutes before trying again.', 'ratelimit', { ratelimit: 540.5 });
}

function listing(children: unknown[], after: string | null = null) {
  return { kind: 'Listing', data: { after, before: null, dist: children.length, children } };
}

function addressOf({ subreddit, name, title }: FakeRedditPost): string {
  const words = title.toLowerCase().replace(/\W+/g, '_').slice(0, 40);
  return `https://www.reddit.com/r/${subreddit}/comments/${name.slice(3)}/${words}/`;
}

function viewOf(post: FakeRedditPost) {
  const { name, subreddit, author, kind, title, selftext, createdAt } = post;
  const permalink = new URL(addressOf(post)).pathname;
  const url = kind === 'self' ? addressOf(post) : post.url;
  const created_utc = Math.floor(createdAt.getTime() / 1_000);
  const data = { id: name.slice(3), name, subreddit, author, title, selftext, permalink, url, created_utc };
  return { kind: 't3', data: { ...data, is_self: kind === 'self' } };
}
