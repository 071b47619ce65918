/**
 * A small version of X's API v2: accounts with tokens that expire and rotate, images, posts with X's links and
 * escapes, and errors.
 */
import { type Consent, createConsent } from './fake-consent.ts';
import { type FakePost, view, weightOf } from './fake-x-text.ts';
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

export interface FakeXOptions extends WireOptions {
  /** Number of status checks before an image is processed. (Default: 0, immediately) */
  readonly looksUntilProcessed?: number;
  /** The app that may renew tokens. (Default: none) */
  readonly app?: { readonly clientId: string; readonly clientSecret?: string };
}

export interface FakeXAccount {
  readonly id: string;
  readonly username: string;
  /** Valid tokens; remove one to revoke it. */
  readonly accessTokens: Set<string>;
  /** Each is valid for one use. */
  readonly refreshTokens: Set<string>;
  /** Scopes that token responses report. (Default: none reported) */
  scope?: string;
}

interface FakeImage {
  readonly id: string;
  readonly accountId: string;
  readonly bytes: Buffer;
  readonly type: string;
  altText: string | null;
  looksLeft: number;
}

export interface FakeX extends Wire {
  /** X's consent page. */
  readonly consent: Consent;
  addAccount(username: string, accessToken: string, refreshToken?: string): FakeXAccount;
  /** Published posts, oldest first. */
  posts(): FakePost[];
  /** Uploaded images, oldest first. */
  images(): FakeImage[];
  /** Metrics of posts that have any, by id. */
  readonly numbers: Map<string, FakeNumbers>;
  /** Faults for the next create calls, one each. */
  readonly faults: Fault[];
  /** Responses that replace those of the next calls of a route, e.g. for `POST /2/tweets`. */
  readonly answers: Record<string, WireAnswer[]>;
  /** Number of calls by method and path, with `:id` for ids. */
  readonly calls: Record<string, number>;
  /** Queries of the requests for the account's posts. */
  readonly listed: URLSearchParams[];
}

/** X's counts for a post. */
export interface FakeNumbers {
  readonly impression_count: number;
  readonly like_count: number;
  readonly retweet_count?: number;
  /** What X's description of its API calls it. */
  readonly repost_count?: number;
  readonly quote_count?: number;
  readonly reply_count: number;
  readonly bookmark_count?: number;
}

interface NewPost {
  readonly text?: string;
  readonly reply?: { readonly in_reply_to_tweet_id: string };
  readonly media?: { readonly media_ids: readonly string[] };
}

interface NewMetadata {
  readonly id: string;
  readonly metadata: { readonly alt_text: { readonly text: string } };
}

const LENGTH_MAX = 280;
const IMAGES_MAX = 4;
const IMAGE_MAX_BYTES = 5_000_000;
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp'];
const ALT_TEXT_MAX = 1000;
const TOKEN_SECONDS = 7200;

export async function startFakeX(options: FakeXOptions): Promise<FakeX> {
  const { now, port, tap, looksUntilProcessed = 0, app } = options;
  const accounts: FakeXAccount[] = [];
  const posts = new Map<string, FakePost>();
  const images = new Map<string, FakeImage>();
  const consent = createConsent();
  const faults: Fault[] = [];
  const numbers = new Map<string, FakeNumbers>();
  const answers: Record<string, WireAnswer[]> = {};
  const calls: Record<string, number> = {};
  const listed: URLSearchParams[] = [];
  let lastId = 0;

  function nextId(prefix: string): string {
    lastId += 1;
    return `${prefix}${String(lastId).padStart(15, '0')}`;
  }

  function store(call: WireCall, account: FakeXAccount): WireAnswer {
    const { text = '', reply, media, ...unknown } = call.json as NewPost;
    if (Object.keys(unknown).length > 0) return problem(400, 'invalid-request', 'Unknown field.');
    const mediaIds = media?.media_ids ?? [];
    if (text === '' && mediaIds.length === 0) return problem(400, 'invalid-request', 'A text or media is required.');
    if (weightOf(text) > LENGTH_MAX || (text.match(/\$[A-Z]+\b/g) ?? []).length > 1) return notPermitted();
    const parentId = reply?.in_reply_to_tweet_id ?? null;
    if (parentId !== null && !posts.has(parentId)) {
      return forbidden('You attempted to reply to a Tweet that is deleted or not visible to you.');
    }
    if ([...posts.values()].some((post) => post.accountId === account.id && post.text === text)) {
      return forbidden('You are not allowed to create a Tweet with duplicate content.');
    }
    if (mediaIds.length > IMAGES_MAX || mediaIds.some((id) => !isAttachable(id, account))) {
      return problem(400, 'invalid-request', 'Your media IDs are invalid.');
    }
    const post = { id: nextId('19'), accountId: account.id, text, parentId, mediaIds, createdAt: now() };
    posts.set(post.id, post);
    return { status: 201, json: { data: { id: post.id, text: view(post).text } } };
  }

  function isAttachable(id: string, account: FakeXAccount): boolean {
    const image = images.get(id);
    return image?.accountId === account.id && image.looksLeft <= 0;
  }

  function remove(id: string, account: FakeXAccount): WireAnswer {
    const post = posts.get(id);
    if (post === undefined) return problem(404, 'resource-not-found', `Could not find tweet with id: [${id}].`);
    if (post.accountId !== account.id) return forbidden('You are not authorized to delete this Tweet.');
    posts.delete(id);
    return ok({ data: { deleted: true } });
  }

  function readNumbers({ query }: WireCall): WireAnswer {
    const ids = (query.get('ids') ?? '').split(',');
    if (ids.length > 100) return problem(400, 'invalid-request', 'ids: at most 100');
    if (query.get('tweet.fields') !== 'public_metrics') return problem(400, 'invalid-request', 'tweet.fields');
    const none = {
      impression_count: 0,
      like_count: 0,
      retweet_count: 0,
      quote_count: 0,
      reply_count: 0,
      bookmark_count: 0,
    };
    const [there, gone] = [ids.filter((id) => posts.has(id)), ids.filter((id) => !posts.has(id))];
    const data = there.map((id) => ({ id, text: posts.get(id)?.text, public_metrics: numbers.get(id) ?? none }));
    const errors = gone.map((id) => ({
      resource_id: id,
      resource_type: 'tweet',
      title: 'Not Found Error',
      type: 'https://api.twitter.com/2/problems/resource-not-found',
    }));
    return ok({ ...(data.length > 0 && { data }), ...(errors.length > 0 && { errors }) });
  }

  function list(id: string, query: URLSearchParams): WireAnswer {
    listed.push(query);
    const since = query.get('since_id');
    const from = Date.parse(query.get('start_time') ?? '1970-01-01');
    const own = [...posts.values()].filter((post) => post.accountId === id);
    const asked = own.filter((post) => (since === null ? post.createdAt.getTime() >= from : post.id > since));
    const data = asked
      .toReversed()
      .slice(0, Number(query.get('max_results') ?? 10))
      .map(view);
    return ok({ ...(data.length > 0 && { data }), meta: { result_count: data.length } });
  }

  async function upload(call: WireCall, account: FakeXAccount): Promise<WireAnswer> {
    const file = call.form?.get('media');
    if (!(file instanceof File) || call.form?.get('media_category') !== 'tweet_image') {
      return problem(400, 'invalid-request', 'media and media_category are required.');
    }
    if (!IMAGE_TYPES.includes(file.type)) return problem(400, 'invalid-request', 'The media type is not supported.');
    if (file.size > IMAGE_MAX_BYTES) return problem(413, 'invalid-request', 'The media is too large.');
    const bytes = Buffer.from(await file.arrayBuffer());
    const image: FakeImage = {
      id: nextId('18'),
      accountId: account.id,
      bytes,
      type: file.type,
      altText: null,
      looksLeft: looksUntilProcessed,
    };
    images.set(image.id, image);
    return ok({ data: imageView(image) });
  }

  function look(query: URLSearchParams): WireAnswer {
    const image = images.get(query.get('media_id') ?? '');
    if (image === undefined || query.get('command') !== 'STATUS')
      return problem(400, 'invalid-request', 'No such media.');
    image.looksLeft -= 1;
    return ok({ data: imageView(image) });
  }

  function describe(call: WireCall, account: FakeXAccount): WireAnswer {
    const { id, metadata } = call.json as NewMetadata;
    const image = images.get(id);
    const { text } = metadata.alt_text;
    if (image?.accountId !== account.id || text.length > ALT_TEXT_MAX) {
      return problem(400, 'invalid-request', 'The metadata is invalid.');
    }
    image.altText = text;
    return ok({ data: { id, associated_metadata: metadata } });
  }

  function renew(call: WireCall): WireAnswer {
    const form = new URLSearchParams(call.bytes.toString());
    if (!isApp(call, form)) return { status: 401, json: { error: 'invalid_client', error_description: 'Who?' } };
    const stale = form.get('refresh_token') ?? '';
    const isNew = form.get('grant_type') === 'authorization_code';
    const who = isNew ? consent.redeem(app?.clientId ?? '', form) : null;
    const account = accounts.find((one) => (isNew ? one.username === who : one.refreshTokens.delete(stale)));
    if (account === undefined) {
      const error_description = 'Value passed for the token was invalid.';
      return { status: 400, json: { error: 'invalid_request', error_description } };
    }
    const [access_token, refresh_token] = [nextId('access-'), nextId('refresh-')];
    account.accessTokens.clear();
    account.accessTokens.add(access_token);
    account.refreshTokens.add(refresh_token);
    const { scope } = account;
    const said = { token_type: 'bearer', expires_in: TOKEN_SECONDS, access_token, refresh_token };
    return ok({ ...said, ...(scope !== undefined && { scope }) });
  }

  function isApp(call: WireCall, form: URLSearchParams): boolean {
    if (app === undefined) return false;
    if (app.clientSecret === undefined) return form.get('client_id') === app.clientId;
    const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
    return call.headers.authorization === `Basic ${basic}`;
  }

  const routes: Record<
    string,
    (call: WireCall, account: FakeXAccount, id: string) => WireAnswer | NoAnswer | Promise<WireAnswer>
  > = {
    'GET /2/users/me': (_call, { id, username }) => ok({ data: { id, username, name: username } }),
    'POST /2/tweets': (call, account) => withFault(faults.shift(), () => store(call, account)),
    'GET /2/tweets': readNumbers,
    'DELETE /2/tweets/:id': (_call, account, id) => remove(id, account),
    'GET /2/users/:id/tweets': (call, _account, id) => list(id, call.query),
    'POST /2/media/upload': upload,
    'GET /2/media/upload': (call) => look(call.query),
    'POST /2/media/metadata': describe,
  };

  const wire = await startWire({ now, port, tap }, (call) => {
    const id = /\/(\d{2,})/.exec(call.path)?.[1] ?? '';
    const route = `${call.method} ${id === '' ? call.path : call.path.replace(id, ':id')}`;
    calls[route] = (calls[route] ?? 0) + 1;
    const scripted = answers[route]?.shift();
    if (scripted !== undefined) return scripted;
    if (route === 'POST /2/oauth2/token') return renew(call);
    if (route === 'GET /i/oauth2/authorize') return consent.authorize(call.query);
    const account = accounts.find(({ accessTokens }) => accessTokens.has(bearer(call) ?? ''));
    if (account === undefined) return { status: 401, json: blank(401, 'Unauthorized', 'Unauthorized') };
    return routes[route]?.(call, account, id) ?? problem(404, 'resource-not-found', 'No such path.');
  });

  return {
    ...wire,
    consent,
    addAccount: (username, accessToken, refreshToken) => {
      const account: FakeXAccount = {
        id: String(2_244_994_900 + accounts.length),
        username,
        accessTokens: new Set([accessToken]),
        refreshTokens: new Set(refreshToken === undefined ? [] : [refreshToken]),
      };
      accounts.push(account);
      return account;
    },
    posts: () => [...posts.values()],
    images: () => [...images.values()],
    numbers,
    faults,
    answers,
    calls,
    listed,
  };
}

function ok(json: unknown): WireAnswer {
  return { status: 200, json };
}

function blank(status: number, title: string, detail: string) {
  return { title, type: 'about:blank', status, detail };
}

function forbidden(detail: string): WireAnswer {
  return { status: 403, json: blank(403, 'Forbidden', detail) };
}

function notPermitted(): WireAnswer {
  return forbidden('You are not permitted to perform this action.');
}

function problem(status: number, type: string, detail: string): WireAnswer {
  return { status, json: { title: type, type: `https://api.x.com/2/problems/${type}`, status, detail } };
}

function imageView({ id, bytes, looksLeft }: FakeImage) {
  const processing_info = { state: 'in_progress', check_after_secs: 2 };
  return { id, media_key: `3_${id}`, size: bytes.length, ...(looksLeft > 0 && { processing_info }) };
}
