/**
 * A small version of LinkedIn's versioned API: members with tokens, pages with roles, images that need
 * processing, posts in little text, comments, and errors. It is stricter than LinkedIn: it refuses a text that is
 * not valid little text, which LinkedIn may truncate silently.
 */
import { type Consent, createConsent } from './fake-consent.ts';
import { readLittleText } from './little-text-reader.ts';
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

export interface FakeLinkedInOptions extends WireOptions {
  /** The app of this install. (Default: none) */
  readonly app?: { readonly clientId: string; readonly clientSecret: string };
  /** Whether the app receives refresh tokens. (Default: false) */
  readonly givesRefreshTokens?: boolean;
}

export interface FakeMember {
  readonly sub: string;
  readonly name: string;
  /** Valid tokens; remove one to revoke it. */
  readonly accessTokens: Set<string>;
  readonly refreshTokens: Set<string>;
  /** Role on each page, by page id. */
  readonly roles: Map<string, string>;
}

interface FakePage {
  readonly id: string;
  readonly name: string;
  readonly vanityName: string | undefined;
}

export interface FakePost {
  readonly urn: string;
  readonly author: string;
  /** The text as people see it. */
  readonly text: string;
  readonly commentary: string;
  readonly images: readonly { readonly id: string; readonly altText?: string }[];
  readonly createdAt: Date;
}

/** LinkedIn's counts for a post. */
export interface FakeNumbers {
  readonly impressionCount: number;
  readonly likeCount: number;
  readonly commentCount: number;
  readonly clickCount: number;
  readonly shareCount: number;
}

interface FakeComment {
  readonly id: string;
  readonly actor: string;
  readonly postUrn: string;
  readonly text: string;
  readonly createdAt: Date;
}

interface FakeImage {
  readonly id: string;
  readonly owner: string;
  bytes: Buffer | null;
  type: string;
  looksLeft: number;
}

export interface FakeLinkedIn extends Wire {
  /** LinkedIn's consent page. */
  readonly consent: Consent;
  addMember(sub: string, name: string, accessToken: string, refreshToken?: string): FakeMember;
  addPage(id: string, name: string, vanityName?: string): void;
  /** Published posts and comments, oldest first. */
  posts(): FakePost[];
  comments(): FakeComment[];
  images(): FakeImage[];
  /** Metrics of posts, by URN. LinkedIn has none for a page's post without impressions. */
  readonly numbers: Map<string, FakeNumbers>;
  /** Members whose metrics the app may not read; most apps may read none. */
  readonly closed: Set<string>;
  /** Status checks until a new image is processed; null when members may not read the status. */
  looks: number | null;
  /** Faults for the next create calls, one each. */
  readonly faults: (Fault | WireAnswer | undefined)[];
  /** Responses that replace those of the next calls of a route, e.g. for `POST /rest/posts`. */
  readonly answers: Record<string, WireAnswer[]>;
  /** Number of calls by method and path, with `:id` for ids. */
  readonly calls: Record<string, number>;
}

const VERSION = '202607';
const COMMENTARY_MAX = 3_000;
const COMMENT_MAX = 1_250;
const TOKEN_SECONDS = 5_184_000;
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif'];

export async function startFakeLinkedIn(options: FakeLinkedInOptions): Promise<FakeLinkedIn> {
  const { now, port, tap, app, givesRefreshTokens = false } = options;
  const members: FakeMember[] = [];
  const pages: FakePage[] = [];
  const posts = new Map<string, FakePost>();
  const comments = new Map<string, FakeComment>();
  const images = new Map<string, FakeImage>();
  const consent = createConsent();
  let last = 0;

  /** An id that contains its creation time, like LinkedIn's. */
  function nextNumber(): string {
    last += 1;
    return String((BigInt(now().getTime()) << 22n) + BigInt(last));
  }

  function maySpeakAs(member: FakeMember, urn: string): boolean {
    if (urn === `urn:li:person:${member.sub}`) return true;
    const id = urn.replace('urn:li:organization:', '');
    return ['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR'].includes(member.roles.get(id) ?? '');
  }

  function post(call: WireCall, member: FakeMember): WireAnswer {
    const { author, commentary, content, ...rest } = call.json as NewPost;
    if (!maySpeakAs(member, author)) return denied('posts.CREATE');
    if (JSON.stringify(rest) !== REST_OF_A_POST) return invalid('INVALID_FIELD', 'A field is missing or unknown');
    const text = readLittleText(commentary);
    if (text === null) return invalid('INVALID_LITTLE_TEXT', `Commentary is no little text: ${commentary}`);
    if ([...text].length > COMMENTARY_MAX) return invalid('FIELD_LENGTH_TOO_LONG', 'Commentary is too long');
    const attached = content === undefined ? [] : (content.multiImage?.images ?? [content.media]);
    for (const one of attached) {
      const image = images.get(one?.id ?? '');
      if (image?.owner !== author || image.bytes === null) return invalid('INVALID_CONTENT', 'No such image');
      if (image.looksLeft > 0) return invalid('MEDIA_NOT_READY', 'The image is not ready');
    }
    if (content?.multiImage !== undefined && attached.length < 2) return invalid('INVALID_CONTENT', 'Too few images');
    const existing = [...posts.values()].find((one) => one.author === author && one.text === text);
    if (existing !== undefined) return duplicate(existing.urn);
    const urn = `urn:li:${content === undefined ? 'share' : 'ugcPost'}:${nextNumber()}`;
    posts.set(urn, { urn, author, text, commentary, images: attached as FakePost['images'], createdAt: now() });
    return { status: 201, text: '', headers: { 'x-restli-id': urn } };
  }

  function comment(call: WireCall, member: FakeMember, postUrn: string): WireAnswer {
    const { actor, object, message } = call.json as { actor: string; object: string; message: { text: string } };
    if (!maySpeakAs(member, actor)) return denied('socialActions.CREATE_COMMENT');
    if (!posts.has(postUrn) || object !== postUrn) return missing();
    if ([...message.text].length > COMMENT_MAX) return invalid('FIELD_LENGTH_TOO_LONG', 'Comment is too long');
    const id = nextNumber();
    comments.set(id, { id, actor, postUrn, text: message.text, createdAt: now() });
    return { status: 201, json: { id }, headers: { 'x-restli-id': id } };
  }

  function removePost(urn: string, member: FakeMember): WireAnswer {
    const existing = posts.get(urn);
    if (existing !== undefined && !maySpeakAs(member, existing.author)) return denied('posts.DELETE');
    posts.delete(urn);
    for (const one of comments.values()) if (one.postUrn === urn) comments.delete(one.id);
    return { status: 204, text: '' };
  }

  function removeComment(id: string, call: WireCall, member: FakeMember): WireAnswer {
    const existing = comments.get(id);
    if (existing === undefined) return missing();
    const actor = call.query.get('actor') ?? '';
    if (existing.actor !== actor || !maySpeakAs(member, actor)) return denied('socialActions.DELETE_COMMENT');
    comments.delete(id);
    return { status: 204, text: '' };
  }

  function listPosts({ query, headers }: WireCall, member: FakeMember): WireAnswer {
    const author = query.get('author') ?? '';
    if (headers['x-restli-method'] !== 'FINDER' || query.get('q') !== 'author') return invalid('Q', 'No such finder');
    if (!author.startsWith('urn:li:organization:') || !maySpeakAs(member, author)) return denied('posts.FINDER-author');
    const own = [...posts.values()].filter((one) => one.author === author).toReversed();
    const elements = own.slice(0, Number(query.get('count') ?? 10)).map(({ urn, commentary, createdAt }) => {
      return { id: urn, author, commentary, createdAt: createdAt.getTime(), lifecycleState: 'PUBLISHED' };
    });
    return ok({ elements });
  }

  function listComments({ query }: WireCall, member: FakeMember, postUrn: string): WireAnswer {
    if (!maySpeakAs(member, posts.get(postUrn)?.author ?? '')) return denied('socialActions.GET_ALL');
    const under = [...comments.values()].filter((one) => one.postUrn === postUrn);
    const elements = under.slice(0, Number(query.get('count') ?? 10)).map(({ id, actor, text, createdAt }) => {
      return { id, actor, message: { text }, created: { time: createdAt.getTime() } };
    });
    return ok({ elements });
  }

  function shareStatistics({ query }: WireCall, member: FakeMember): WireAnswer {
    const page = query.get('organizationalEntity') ?? '';
    if (query.get('q') !== 'organizationalEntity') return invalid('Q', 'No such finder');
    if (!maySpeakAs(member, page)) return denied('organizationalEntityShareStatistics.FINDER');
    const [name, list] = query.has('shares')
      ? (['share', query.get('shares')] as const)
      : (['ugcPost', query.get('ugcPosts')] as const);
    const urns = /^List\((.*)\)$/.exec(list ?? '')?.[1]?.split(',') ?? [];
    const elements = urns.flatMap((urn) => {
      const totalShareStatistics = fake.numbers.get(urn);
      return totalShareStatistics === undefined
        ? []
        : [{ [name]: urn, organizationalEntity: page, totalShareStatistics }];
    });
    return ok({ elements });
  }

  function socialActions(member: FakeMember, urn: string): WireAnswer {
    if (fake.closed.has(member.sub)) return denied('partnerApiSocialActions.GET');
    if (!posts.has(urn)) return missing();
    const { likeCount = 0, commentCount = 0 } = fake.numbers.get(urn) ?? {};
    return ok({
      target: urn,
      likesSummary: { totalLikes: likeCount, aggregatedTotalLikes: likeCount },
      commentsSummary: { totalFirstLevelComments: commentCount, aggregatedTotalComments: commentCount },
    });
  }

  function initialize(call: WireCall, member: FakeMember): WireAnswer {
    const { owner } = (call.json as { initializeUploadRequest: { owner: string } }).initializeUploadRequest;
    if (!maySpeakAs(member, owner)) return denied('images.ACTION-initializeUpload');
    const id = `urn:li:image:C4${nextNumber()}`;
    images.set(id, { id, owner, bytes: null, type: '', looksLeft: fake.looks ?? 0 });
    return ok({ value: { uploadUrl: `${wire.url}/upload/${encodeURIComponent(id)}`, image: id } });
  }

  function upload(call: WireCall, id: string): WireAnswer {
    const image = images.get(id);
    const type = call.headers['content-type'] ?? '';
    if (image === undefined || !IMAGE_TYPES.includes(type)) return { status: 400, text: '' };
    Object.assign(image, { bytes: call.bytes, type });
    return { status: 201, text: '' };
  }

  function look(id: string): WireAnswer {
    const image = images.get(id);
    if (image === undefined) return missing();
    if (fake.looks === null) return denied('images.GET');
    image.looksLeft -= 1;
    return ok({ id, owner: image.owner, status: image.looksLeft >= 0 ? 'PROCESSING' : 'AVAILABLE' });
  }

  function grant(call: WireCall): WireAnswer {
    const form = new URLSearchParams(call.bytes.toString());
    if (app === undefined || form.get('client_id') !== app.clientId || form.get('client_secret') !== app.clientSecret) {
      return { status: 401, json: { error: 'invalid_client', error_description: 'Client authentication failed' } };
    }
    const isNew = form.get('grant_type') === 'authorization_code';
    const who = isNew ? consent.redeem(app.clientId, form) : null;
    const stale = form.get('refresh_token') ?? '';
    const member = members.find((one) => (isNew ? one.sub === who : one.refreshTokens.has(stale)));
    if (member === undefined) {
      const error_description = 'Unable to retrieve access token: the authorization code or refresh token is not valid';
      return { status: 400, json: { error: 'invalid_request', error_description } };
    }
    const access_token = `access-${nextNumber()}`;
    member.accessTokens.add(access_token);
    if (isNew && givesRefreshTokens) member.refreshTokens.add(`refresh-${member.sub}`);
    const [refresh_token] = member.refreshTokens;
    const refresh = refresh_token === undefined ? {} : { refresh_token, refresh_token_expires_in: 31_536_000 };
    return ok({ access_token, expires_in: TOKEN_SECONDS, scope: 'a,b', ...refresh });
  }

  function listAcls(call: WireCall, member: FakeMember): WireAnswer {
    if (call.query.get('q') !== 'roleAssignee' || call.query.get('state') !== 'APPROVED') return missing();
    const elements = [...member.roles].map(([id, role]) => {
      const organization = `urn:li:organization:${id}`;
      return { role, organization, state: 'APPROVED', roleAssignee: `urn:li:person:${member.sub}` };
    });
    const [start, count] = [Number(call.query.get('start') ?? 0), Number(call.query.get('count') ?? 10)];
    return ok({ elements: elements.slice(start, start + count), paging: { start, count, links: [] } });
  }

  function readPage(id: string): WireAnswer {
    const page = pages.find((one) => one.id === id);
    if (page === undefined) return missing();
    return ok({ id: Number(id), localizedName: page.name, vanityName: page.vanityName });
  }

  function create(make: () => WireAnswer): WireAnswer | NoAnswer {
    const fault = fake.faults.shift();
    return typeof fault === 'object' ? fault : withFault(fault, make);
  }

  const routes: Record<string, (call: WireCall, member: FakeMember, ids: readonly string[]) => WireAnswer | NoAnswer> =
    {
      'GET /v2/userinfo': (_call, { sub, name }) => ok({ sub, name, locale: { country: 'US', language: 'en' } }),
      'GET /rest/organizationAcls': listAcls,
      'GET /rest/organizations/:id': (_call, _member, [id = '']) => readPage(id),
      'POST /rest/posts': (call, member) => create(() => post(call, member)),
      'GET /rest/posts': listPosts,
      'DELETE /rest/posts/:id': (_call, member, [urn = '']) => removePost(urn, member),
      'POST /rest/images': initialize,
      'GET /rest/images/:id': (_call, _member, [id = '']) => look(id),
      'PUT /upload/:id': (call, _member, [id = '']) => upload(call, id),
      'POST /rest/socialActions/:id/comments': (call, member, [urn = '']) => create(() => comment(call, member, urn)),
      'GET /rest/socialActions/:id/comments': (call, member, [urn = '']) => listComments(call, member, urn),
      'GET /rest/organizationalEntityShareStatistics': shareStatistics,
      'GET /rest/socialActions/:id': (_call, member, [urn = '']) => socialActions(member, urn),
      'DELETE /rest/socialActions/:id/comments/:id': (call, member, [, id = '']) => removeComment(id, call, member),
    };

  const wire = await startWire({ now, port, tap }, (call) => {
    const ids = call.path.split('/').filter((piece) => /^\d+$|^urn%3A/i.test(piece));
    const route = `${call.method} ${ids.reduce((path, id) => path.replace(id, ':id'), call.path)}`;
    fake.calls[route] = (fake.calls[route] ?? 0) + 1;
    const scripted = fake.answers[route]?.shift();
    if (scripted !== undefined) return scripted;
    if (route === 'POST /oauth/v2/accessToken') return grant(call);
    if (route === 'GET /oauth/v2/authorization') return decide(call.query);
    const isVersioned = call.path.startsWith('/rest/');
    if (isVersioned && call.headers['linkedin-version'] !== VERSION) return retired(call);
    if (isVersioned && call.headers['x-restli-protocol-version'] !== '2.0.0') return invalid('PROTOCOL', 'Protocol');
    const member = members.find(({ accessTokens }) => accessTokens.has(bearer(call) ?? ''));
    if (member === undefined) return expired();
    return routes[route]?.(call, member, ids.map(decodeURIComponent)) ?? missing();
  });

  /** LinkedIn has its own error code for a user who declines. */
  function decide(query: URLSearchParams): WireAnswer {
    const answer = consent.authorize(query);
    const location = answer.headers?.['location']?.replace('error=access_denied', 'error=user_cancelled_authorize');
    return location === undefined ? answer : { ...answer, headers: { location } };
  }

  const fake: FakeLinkedIn = {
    ...wire,
    consent,
    addMember: (sub, name, accessToken, refreshToken) => {
      const member: FakeMember = {
        sub,
        name,
        accessTokens: new Set([accessToken]),
        refreshTokens: new Set(refreshToken === undefined ? [] : [refreshToken]),
        roles: new Map(),
      };
      members.push(member);
      return member;
    },
    addPage: (id, name, vanityName) => void pages.push({ id, name, vanityName }),
    posts: () => [...posts.values()],
    comments: () => [...comments.values()],
    images: () => [...images.values()],
    numbers: new Map(),
    closed: new Set(),
    looks: 0,
    faults: [],
    answers: {},
    calls: {},
  };
  return fake;
}

interface NewPost {
  readonly author: string;
  readonly commentary: string;
  readonly content?: {
    readonly media?: FakePost['images'][number];
    readonly multiImage?: { readonly images: FakePost['images'] };
  };
}

const REST_OF_A_POST = JSON.stringify({
  visibility: 'PUBLIC',
  distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
  lifecycleState: 'PUBLISHED',
  isReshareDisabledByAuthor: false,
});

function ok(json: unknown): WireAnswer {
  return { status: 200, json };
}

function refused(status: number, code: string, message: string, more: object = {}): WireAnswer {
  return { status, json: { status, code, message, ...more } };
}

function expired(): WireAnswer {
  const message = 'The token used in the request has expired';
  return refused(401, 'EXPIRED_ACCESS_TOKEN', message, { serviceErrorCode: 65_602 });
}

function denied(what: string): WireAnswer {
  return refused(403, 'ACCESS_DENIED', `Not enough permissions to access: ${what}`, { serviceErrorCode: 100 });
}

function missing(): WireAnswer {
  return refused(404, 'NOT_FOUND', 'Could not find entity');
}

function retired({ headers }: WireCall): WireAnswer {
  const message = `Requested version ${String(headers['linkedin-version'])} is not active`;
  return refused(426, 'NONEXISTENT_VERSION', message);
}

function invalid(code: string, description: string): WireAnswer {
  const errorDetails = { inputErrors: [{ code, description }] };
  return refused(400, 'INPUT_ERROR', description, { errorDetails });
}

/** The error for a post that duplicates a published one. */
export function duplicate(urn: string): WireAnswer {
  const errorDetails = { inputErrors: [{ code: 'DUPLICATE_POST', description: 'Duplicate post is detected' }] };
  return refused(422, 'UNPROCESSABLE_ENTITY', `Content is a duplicate of ${urn}`, { errorDetails });
}
