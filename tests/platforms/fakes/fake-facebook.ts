/**
 * A small Graph API: Pages and users with tokens, unpublished photos, posts, comments, and errors with codes and
 * subcodes.
 */
import { createFacebookLogin, type FacebookLogin } from './fake-facebook-login.ts';
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

/** An error in the format of the Graph API. */
export interface FakeGraphError {
  readonly code: number;
  readonly message: string;
  readonly error_subcode?: number;
  readonly is_transient?: boolean;
  readonly error_user_msg?: string;
  /** (Default: 400) */
  readonly status?: number;
}

interface FakePage {
  readonly id: string;
  readonly name: string;
  readonly username: string | undefined;
  /** Valid tokens; remove one to revoke it. */
  readonly tokens: Set<string>;
}

interface FakePhoto {
  readonly id: string;
  readonly pageId: string;
  readonly bytes: Buffer;
  readonly type: string;
  readonly altText: string | null;
  isAttached: boolean;
}

interface FakeThing {
  readonly id: string;
  /** Id of the author. */
  readonly pageId: string;
  /** The post of a comment; null for a post. */
  readonly postId: string | null;
  readonly message: string;
  readonly photoIds: readonly string[];
  readonly createdAt: Date;
}

export interface FakeFacebook extends Wire {
  /** The login of users. */
  readonly login: FacebookLogin;
  addPage(id: string, name: string, token: string, username?: string): FakePage;
  /** A token of a user who may read Pages but is not a Page. */
  addPerson(id: string, token: string): void;
  /** Published posts and comments, oldest first. */
  posts(): FakeThing[];
  comments(): FakeThing[];
  /** Adds a comment of another author to a post. */
  commentAs(strangerId: string, postId: string, message: string): void;
  /** Uploaded photos, oldest first. */
  photos(): FakePhoto[];
  /** Faults for the next create calls, one each. */
  readonly faults: (Fault | FakeGraphError | undefined)[];
  /** Number of calls by method and path without ids, e.g. `POST /:id/feed`. */
  readonly calls: Record<string, number>;
}

const ROOT = '/v26.0';
const MESSAGE_MAX = 63_206;
const COMMENT_MAX = 8_000;
const RATE_LIMITED = { code: 4, message: '(#4) Application request limit reached', is_transient: true, status: 403 };
const UNKNOWN = { code: 1, message: 'An unknown error occurred', is_transient: true, status: 500 };
/** Stored, and then not read back for the fields that the call asks for. */
const UNREADABLE = { code: 100, message: 'Unsupported get request' };
const FORBIDDEN = { code: 200, message: '(#200) The user hasn’t authorized the application to perform this action' };

export async function startFakeFacebook(options: WireOptions): Promise<FakeFacebook> {
  const { now, port, tap } = options;
  const pages: FakePage[] = [];
  const people = new Map<string, string>();
  const things = new Map<string, FakeThing>();
  const photos = new Map<string, FakePhoto>();
  const faults: FakeFacebook['faults'] = [];
  const calls: Record<string, number> = {};
  const login = createFacebookLogin();
  let lastId = 0;
  const nextId = () => String(122_000_000_000_000 + (lastId += 1));

  function view(thing: FakeThing, query: URLSearchParams) {
    const all = {
      id: thing.id,
      message: thing.message === '' ? undefined : thing.message,
      created_time: thing.createdAt.toISOString().replace(/\.\d+Z$/, '+0000'),
      permalink_url: `https://www.facebook.com/permalink.php?story_fbid=${thing.id}`,
      from: { id: thing.pageId, name: 'Somebody' },
    };
    const asked = new Set(['id', ...(query.get('fields') ?? '').split(',')]);
    return Object.fromEntries(Object.entries(all).filter(([field]) => asked.has(field)));
  }

  function store(thing: Omit<FakeThing, 'createdAt'>, query: URLSearchParams): WireAnswer {
    const stored = { ...thing, createdAt: now() };
    things.set(thing.id, stored);
    return query.has('fields') ? refused(UNREADABLE) : ok({ id: thing.id });
  }

  function post({ json, query }: WireCall, page: FakePage): WireAnswer {
    const { message = '', attached_media: media = [] } = json as {
      message?: string;
      attached_media?: { media_fbid: string }[];
    };
    if ([...message].length > MESSAGE_MAX) return refused({ code: 100, message: '(#100) The message is too long' });
    const attached = media.map(({ media_fbid: id }) => photos.get(id));
    if (attached.some((photo) => photo?.pageId !== page.id || photo.isAttached)) {
      return refused({ code: 100, error_subcode: 1_366_051, message: 'These photos were already posted.' });
    }
    for (const photo of attached) (photo as FakePhoto).isAttached = true;
    const photoIds = media.map(({ media_fbid: id }) => id);
    return store({ id: `${page.id}_${nextId()}`, pageId: page.id, postId: null, message, photoIds }, query);
  }

  function comment({ json, query }: WireCall, page: FakePage, postId: string): WireAnswer {
    const { message } = json as { message: string };
    if (!things.has(postId)) return missing('post', postId);
    if ([...message].length > COMMENT_MAX) return refused({ code: 100, message: '(#100) The comment is too long' });
    const id = `${postId.split('_')[1]}_${nextId()}`;
    return store({ id, pageId: page.id, postId, message, photoIds: [] }, query);
  }

  async function upload({ form }: WireCall, page: FakePage): Promise<WireAnswer> {
    const source = form?.get('source');
    const altText = form?.get('alt_text_custom');
    if (form?.get('published') !== 'false') return refused({ code: 100, message: '(#100) Photos are kept back here' });
    if (!(source instanceof File) || !/^image\/(png|jpeg|gif)$/.test(source.type)) {
      return refused({ code: 100, error_subcode: 1_366_046, message: 'Your photos couldn’t be uploaded.' });
    }
    const id = nextId();
    const bytes = Buffer.from(await source.arrayBuffer());
    const said = typeof altText === 'string' ? altText : null;
    photos.set(id, { id, pageId: page.id, bytes, type: source.type, altText: said, isAttached: false });
    return ok({ id });
  }

  function list(query: URLSearchParams, belongs: (thing: FakeThing) => boolean): WireAnswer {
    const newestFirst = [...things.values()].filter(belongs).toReversed();
    return ok({ data: newestFirst.slice(0, Number(query.get('limit') ?? 25)).map((thing) => view(thing, query)) });
  }

  function listComments(query: URLSearchParams, postId: string): WireAnswer {
    if (query.get('order') !== 'reverse_chronological' || query.get('filter') !== 'stream') return ok({ data: [] });
    return list(query, (thing) => thing.postId === postId);
  }

  function read(id: string, query: URLSearchParams): WireAnswer {
    const page = pages.find((one) => one.id === id);
    if (page !== undefined) return ok({ id, name: page.name, username: page.username });
    const thing = things.get(id);
    return thing === undefined ? missing('get', id) : ok(view(thing, query));
  }

  function remove(id: string, page: FakePage): WireAnswer {
    if (things.get(id)?.pageId !== page.id) return missing('delete', id);
    for (const thing of things.values()) if (thing.postId === id) things.delete(thing.id);
    things.delete(id);
    return ok({ success: true });
  }

  function create(make: () => WireAnswer): WireAnswer | NoAnswer {
    const fault = faults.shift();
    if (typeof fault === 'object') return refused(fault);
    if (fault === 'rate_limited') return refused(RATE_LIMITED);
    const answer = withFault(fault, make);
    return typeof answer === 'object' && answer.status === 500 ? refused(UNKNOWN) : answer;
  }

  const routes: Record<string, (call: WireCall, page: FakePage, id: string) => Answer> = {
    'POST /:id/feed': (call, page, id) => create(() => (id === page.id ? post(call, page) : refused(FORBIDDEN))),
    'POST /:id/comments': (call, page, id) => create(() => comment(call, page, id)),
    'POST /:id/photos': (call, page) => upload(call, page),
    'GET /:id/published_posts': ({ query }, page) =>
      list(query, (thing) => thing.pageId === page.id && thing.postId === null),
    'GET /:id/comments': ({ query }, _page, id) => listComments(query, id),
    'GET /:id': ({ query }, _page, id) => read(id, query),
    'DELETE /:id': (_call, page, id) => remove(id, page),
  };

  const wire = await startWire({ now, port, tap }, (call) => {
    if (!call.path.startsWith(`${ROOT}/`)) return refused({ code: 2635, message: '(#2635) A retired version' });
    const path = call.path.slice(ROOT.length);
    const loggedIn = login.answer(path, call);
    if (loggedIn !== undefined) return loggedIn;
    const token = bearer(call) ?? '';
    const page = pages.find(({ tokens }) => tokens.has(token));
    const personId = people.get(token);
    if (page === undefined && personId === undefined) {
      return refused({ code: 190, message: `Malformed access token ${token}` });
    }
    if (path === '/me') return ok({ id: page?.id ?? personId });
    const id = /^\/([\d_]+)/.exec(path)?.[1] ?? '';
    const route = `${call.method} ${path.replace(id, ':id')}`;
    calls[route] = (calls[route] ?? 0) + 1;
    if (page === undefined) return call.method === 'GET' ? read(id, call.query) : refused(FORBIDDEN);
    return routes[route]?.(call, page, id) ?? refused({ code: 2500, message: `Unknown path components: ${path}` });
  });

  return {
    ...wire,
    login,
    addPage: (id, name, token, username) => {
      const page = { id, name, username, tokens: new Set([token]) };
      pages.push(page);
      return page;
    },
    addPerson: (id, token) => void people.set(token, id),
    posts: () => [...things.values()].filter(({ postId }) => postId === null),
    comments: () => [...things.values()].filter(({ postId }) => postId !== null),
    commentAs: (strangerId, postId, message) => {
      const id = `${postId.split('_')[1]}_${nextId()}`;
      store({ id, pageId: strangerId, postId, message, photoIds: [] }, new URLSearchParams());
    },
    photos: () => [...photos.values()],
    faults,
    calls,
  };
}

type Answer = WireAnswer | NoAnswer | Promise<WireAnswer>;

function ok(json: unknown): WireAnswer {
  return { status: 200, json };
}

function refused({ status = 400, ...error }: FakeGraphError): WireAnswer {
  return { status, json: { error: { type: 'OAuthException', ...error, fbtrace_id: 'A1b2C3' } } };
}

function missing(verb: string, id: string): WireAnswer {
  const message = `Unsupported ${verb} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`;
  return refused({ code: 100, error_subcode: 33, message });
}
