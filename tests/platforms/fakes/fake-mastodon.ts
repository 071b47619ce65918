/**
 * A small Mastodon server: accounts with tokens, images that need processing, statuses rendered to HTML, and
 * Idempotency-Key for an hour.
 */
import { type Consent, createConsent } from './fake-consent.ts';
import {
  accountEntity,
  CONFIGURATION_REST,
  INSTANCE_REST,
  ownAccountEntity,
  STATUS_REST,
} from './mastodon-entities.ts';
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

export interface FakeMastodonOptions extends WireOptions {
  /** Maximum length of a status. (Default: 500) */
  readonly maxCharacters?: number;
  /** Newest version of the instance document; 0 for none. (Default: 2) */
  readonly instanceVersion?: 0 | 1 | 2;
  /** How far the server's clock is ahead of `now`, in milliseconds; negative when it is behind. (Default: 0) */
  readonly clockAheadMs?: number;
  /** Whether asterisks make text bold, as on servers that take markup. (Default: false) */
  readonly markup?: boolean;
  /** Number of status checks before an image is processed; 0 for immediately, Infinity for never. (Default: 0) */
  readonly looksUntilProcessed?: number;
  /** Whether several statuses can be requested at once, as since version 4.3. (Default: true) */
  readonly listsStatuses?: boolean;
  /** The image limits of the instance document. (Default: none) */
  readonly mediaConfiguration?: object;
}

interface FakeImage {
  readonly id: string;
  readonly accountId: string;
  readonly bytes: Buffer;
  readonly type: string;
  readonly description: string | null;
  /** Number of remaining checks that answer 206. */
  looksLeft: number;
  isAttached: boolean;
}

export interface FakeNumbers {
  readonly favourites_count: number;
  readonly reblogs_count: number;
  readonly replies_count: number;
}

export interface FakeMastodonAccount {
  readonly id: string;
  readonly username: string;
  /** Valid tokens; remove one to revoke it. */
  readonly tokens: Set<string>;
}

interface FakeStatus {
  readonly id: string;
  readonly accountId: string;
  /** The source text. */
  readonly text: string;
  readonly visibility: string;
  readonly inReplyToId: string | null;
  readonly mediaIds: readonly string[];
  readonly createdAt: Date;
}

export interface FakeMastodon extends Wire {
  readonly accounts: FakeMastodonAccount[];
  /** The server's consent page. */
  readonly consent: Consent;
  addAccount(username: string, token: string): FakeMastodonAccount;
  /** Published statuses, oldest first. */
  posts(): FakeStatus[];
  /** Uploaded images, oldest first. */
  images(): FakeImage[];
  /** Metrics of statuses that have any, by id. */
  readonly numbers: Map<string, FakeNumbers>;
  /** Responses that replace those of the next calls of a route. */
  readonly answers: Record<string, WireAnswer[]>;
  /** Faults for the next create calls, one each. */
  readonly faults: Fault[];
  /** Number of calls by method and path without ids, e.g. `POST /api/v1/statuses`. */
  readonly calls: Record<string, number>;
  /** Every call, oldest first. */
  readonly received: WireCall[];
}

interface NewStatus {
  readonly status: string;
  readonly visibility: string;
  readonly in_reply_to_id?: string;
  readonly media_ids?: readonly string[];
}

const KEY_MS = 60 * 60_000;
const IMAGES_MAX = 4;
const IMAGE_MAX_BYTES = 16_777_216;
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const DESCRIPTION_MAX = 1500;
const RESERVED_PER_URL = 23;

export async function startFakeMastodon(options: FakeMastodonOptions): Promise<FakeMastodon> {
  const {
    maxCharacters = 500,
    instanceVersion = 2,
    clockAheadMs = 0,
    markup = false,
    looksUntilProcessed = 0,
    mediaConfiguration,
    listsStatuses = true,
  } = options;
  const now = () => new Date(options.now().getTime() + clockAheadMs);
  const accounts: FakeMastodonAccount[] = [];
  const statuses = new Map<string, FakeStatus>();
  const images = new Map<string, FakeImage>();
  const keys = new Map<string, { readonly id: string; readonly at: number }>();
  const consent = createConsent();
  const faults: Fault[] = [];
  const received: WireCall[] = [];
  const numbers = new Map<string, FakeNumbers>();
  const answers: Record<string, WireAnswer[]> = {};
  const calls: Record<string, number> = {};
  let lastId = 0;

  const ok = (json: unknown): WireAnswer => ({ status: 200, json });
  const refused = (status: number, error: string): WireAnswer => ({ status, json: { error } });
  const missing = () => refused(404, 'Record not found');

  function view(status: FakeStatus, extra: object = {}) {
    const { id, text, visibility, inReplyToId } = status;
    const account = accounts.find((one) => one.id === status.accountId) ?? { id: status.accountId, username: '' };
    const { username } = account;
    return {
      ...STATUS_REST,
      id,
      account: accountEntity(account, wire.url),
      created_at: status.createdAt.toISOString(),
      in_reply_to_id: inReplyToId,
      visibility,
      uri: `${wire.url}/users/${username}/statuses/${id}`,
      url: `${wire.url}/@${username}/${id}`,
      content: toHtml(text, wire.url, markup),
      ...(numbers.get(id) ?? { favourites_count: 0, reblogs_count: 0, replies_count: 0 }),
      ...extra,
    };
  }

  function store(call: WireCall, account: FakeMastodonAccount): WireAnswer {
    const { status: text, visibility, in_reply_to_id: parentId, media_ids: mediaIds = [] } = call.json as NewStatus;
    const key = `${account.id} ${String(call.headers['idempotency-key'])}`;
    const known = keys.get(key);
    const replayed = known !== undefined && now().getTime() - known.at < KEY_MS ? statuses.get(known.id) : undefined;
    if (replayed !== undefined) return ok(view(replayed));
    if (text.trim() === '') return refused(422, "Validation failed: Text can't be blank");
    if (lengthOf(text) > maxCharacters) {
      return refused(422, `Validation failed: Text character limit of ${maxCharacters} exceeded`);
    }
    if (parentId !== undefined && !statuses.has(parentId)) return missing();
    const problem = attachmentProblem(mediaIds, account);
    if (problem !== undefined) return refused(422, problem);
    for (const id of mediaIds) (images.get(id) as FakeImage).isAttached = true;
    lastId += 1;
    const status: FakeStatus = {
      id: `1150000000000000${String(lastId).padStart(3, '0')}`,
      accountId: account.id,
      text,
      visibility,
      inReplyToId: parentId ?? null,
      mediaIds,
      createdAt: now(),
    };
    statuses.set(status.id, status);
    keys.set(key, { id: status.id, at: now().getTime() });
    return ok(view(status));
  }

  function attachmentProblem(mediaIds: readonly string[], account: FakeMastodonAccount): string | undefined {
    if (mediaIds.length > IMAGES_MAX) return 'Cannot attach more than 4 files';
    const attached = mediaIds.map((id) => images.get(id));
    if (attached.some((image) => image?.accountId !== account.id || image.isAttached))
      return 'Media attachment not found';
    if (attached.some((image) => (image?.looksLeft ?? 0) > 0)) {
      return 'Cannot attach files that have not finished processing. Try again in a moment!';
    }
    return undefined;
  }

  async function upload(call: WireCall, account: FakeMastodonAccount): Promise<WireAnswer> {
    const file = call.form?.get('file');
    const said = call.form?.get('description');
    const description = typeof said === 'string' ? said : null;
    if (!(file instanceof File)) return refused(422, "Validation failed: File can't be blank");
    if (!IMAGE_TYPES.includes(file.type)) return refused(422, 'Validation failed: File content type is invalid');
    if (file.size > IMAGE_MAX_BYTES) return refused(422, 'Validation failed: File size must be less than 16 MB');
    if ((description ?? '').length > DESCRIPTION_MAX) return refused(422, 'Validation failed: Description is too long');
    lastId += 1;
    const id = `2250000000000000${String(lastId).padStart(3, '0')}`;
    const bytes = Buffer.from(await file.arrayBuffer());
    const image = { id, accountId: account.id, bytes, type: file.type, description };
    images.set(id, { ...image, looksLeft: looksUntilProcessed, isAttached: false });
    const isProcessed = looksUntilProcessed === 0;
    return { status: isProcessed ? 200 : 202, json: imageView(id, isProcessed) };
  }

  function look(id: string | undefined, account: FakeMastodonAccount): WireAnswer {
    const image = images.get(id ?? '');
    if (image?.accountId !== account.id || image.isAttached) return missing();
    image.looksLeft -= 1;
    const isProcessed = image.looksLeft <= 0;
    return { status: isProcessed ? 200 : 206, json: imageView(image.id, isProcessed) };
  }

  function imageView(id: string, isProcessed: boolean) {
    return { id, type: 'image', url: isProcessed ? `${wire.url}/media/${id}` : null };
  }

  function own(id: string | undefined, account: FakeMastodonAccount): FakeStatus | undefined {
    const status = statuses.get(id ?? '');
    return status?.accountId === account.id ? status : undefined;
  }

  function remove(id: string | undefined, account: FakeMastodonAccount): WireAnswer {
    const status = own(id, account);
    if (status === undefined) return missing();
    statuses.delete(status.id);
    return ok(view(status, { text: status.text }));
  }

  function source(id: string | undefined, account: FakeMastodonAccount): WireAnswer {
    const status = own(id, account);
    return status === undefined ? missing() : ok({ id: status.id, text: status.text, spoiler_text: '' });
  }

  function read(id: string | undefined): WireAnswer {
    const status = statuses.get(id ?? '');
    return status === undefined ? missing() : ok(view(status));
  }

  // At most one page, for any number of requested ids.
  function readTogether({ query }: WireCall): WireAnswer {
    if (!listsStatuses) return { status: 404, text: '<h1>404 Not Found</h1>' };
    const found = query.getAll('id[]').flatMap((id) => statuses.get(id) ?? []);
    return ok(found.slice(0, 20).map((status) => view(status)));
  }

  function list(id: string | undefined, query: URLSearchParams): WireAnswer {
    const all = [...statuses.values()].filter((status) => status.accountId === id).toReversed();
    return ok(all.slice(0, Math.min(Number(query.get('limit') ?? 20), 40)).map((status) => view(status)));
  }

  function instance(version: 1 | 2): WireAnswer {
    if (version > instanceVersion) return { status: 404, text: '<h1>404 Not Found</h1>' };
    const domain = new URL(wire.url).host;
    const limits = { max_characters: maxCharacters, characters_reserved_per_url: RESERVED_PER_URL };
    return ok({
      ...INSTANCE_REST,
      ...(version === 2 ? { domain } : { uri: domain }),
      configuration: { ...CONFIGURATION_REST, statuses: limits, ...mediaConfiguration },
    });
  }

  function register(call: WireCall): WireAnswer {
    const { client_name: name, redirect_uris: redirectUri, scopes } = call.json as Record<string, string | undefined>;
    if (name === undefined || redirectUri === undefined) return refused(422, "Validation failed: Name can't be blank");
    const [id, secret] = [`app-${consent.apps.size + 1}`, `secret-${consent.apps.size + 1}`];
    consent.apps.set(id, { clientSecret: secret, redirectUri, scope: scopes ?? 'read' });
    return ok({ id: '1', name, client_id: id, client_secret: secret, redirect_uri: redirectUri });
  }

  function grant(call: WireCall): WireAnswer {
    const form = new URLSearchParams(call.bytes.toString());
    const clientId = form.get('client_id') ?? '';
    const oauthError = (status: number, error: string, words: string) => ({
      status,
      json: { error, error_description: words },
    });
    if (consent.apps.get(clientId)?.clientSecret !== form.get('client_secret')) {
      return oauthError(401, 'invalid_client', 'Client authentication failed due to unknown client.');
    }
    const who = consent.redeem(clientId, form);
    const account = accounts.find(({ username }) => username === who);
    if (account === undefined) return oauthError(400, 'invalid_grant', 'The provided authorization grant is invalid.');
    const token = `granted-${account.tokens.size + 1}-${account.username}`;
    account.tokens.add(token);
    return ok({ access_token: token, token_type: 'Bearer', scope: form.get('scope'), created_at: 1_573_979_017 });
  }

  const open: Record<string, (call: WireCall) => WireAnswer> = {
    'POST /api/v1/apps': register,
    'GET /oauth/authorize': (call) => consent.authorize(call.query),
    'POST /oauth/token': grant,
  };

  const routes: Record<
    string,
    (call: WireCall, account: FakeMastodonAccount, id?: string) => WireAnswer | NoAnswer | Promise<WireAnswer>
  > = {
    'GET /api/v1/accounts/verify_credentials': (_call, { id, username }) =>
      ok(ownAccountEntity({ id, username }, wire.url)),
    'POST /api/v1/statuses': (call, account) => withFault(faults.shift(), () => store(call, account)),
    'GET /api/v1/accounts/:id/statuses': (call, _account, id) => list(id, call.query),
    'GET /api/v1/statuses': readTogether,
    'GET /api/v1/statuses/:id': (_call, _account, id) => read(id),
    'GET /api/v1/statuses/:id/source': (_call, account, id) => source(id, account),
    'DELETE /api/v1/statuses/:id': (_call, account, id) => remove(id, account),
    'POST /api/v2/media': upload,
    'GET /api/v1/media/:id': (_call, account, id) => look(id, account),
    'GET /api/v2/instance': () => instance(2),
    'GET /api/v1/instance': () => instance(1),
  };

  const wire = await startWire({ now, port: options.port, tap: options.tap }, (call) => {
    const id = /\/(\d+)/.exec(call.path.replace(/\/api\/v\d/, ''))?.[1];
    const route = `${call.method} ${id === undefined ? call.path : call.path.replace(`/${id}`, '/:id')}`;
    calls[route] = (calls[route] ?? 0) + 1;
    received.push(call);
    const answered = open[route]?.(call);
    if (answered !== undefined) return answered;
    const account = accounts.find(({ tokens }) => tokens.has(bearer(call) ?? ''));
    if (account === undefined) return refused(401, 'The access token is invalid');
    return (
      answers[route]?.shift() ?? routes[route]?.(call, account, id) ?? { status: 404, text: '<h1>404 Not Found</h1>' }
    );
  });

  return {
    ...wire,
    accounts,
    consent,
    addAccount: (username, token) => {
      const account = { id: String(109_000 + accounts.length), username, tokens: new Set([token]) };
      accounts.push(account);
      return account;
    },
    posts: () => [...statuses.values()],
    images: () => [...images.values()],
    numbers,
    answers,
    faults,
    calls,
    received,
  };
}

/** Counts graphemes; each link counts as 23, and of `@user@host` only the `@user` counts. */
function lengthOf(text: string): number {
  const reserved = text.replace(/https?:\/\/\S+/g, '-'.repeat(RESERVED_PER_URL)).replace(/(@\w+)@[\w.-]+/g, '$1');
  return [...new Intl.Segmenter().segment(reserved)].length;
}

/** Renders paragraphs, line breaks, links split into spans, hashtags and mentions, as Mastodon does. */
function toHtml(text: string, origin: string, markup: boolean): string {
  const escaped = text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
  const linked = escaped
    .replace(/(?<=^|\s)#(\w+)/g, `<a href="${origin}/tags/$1" class="mention hashtag" rel="tag">#<span>$1</span></a>`)
    .replace(
      /(?<=^|\s)@(\w+)@([\w.-]*\w)/g,
      '<span class="h-card"><a href="https://$2/@$1" class="u-url mention">@<span>$1</span></a></span>',
    )
    .replace(
      /(?<=^|\s)(https?:\/\/)(\S{1,30})(\S*)/g,
      '<a href="$1$2$3" rel="nofollow noopener" target="_blank"><span class="invisible">$1</span><span class="ellipsis">$2</span><span class="invisible">$3</span></a>',
    );
  const bold = markup ? linked.replace(/\*(\w+)\*/g, '<b>$1</b>') : linked;
  return bold
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replace(/\n/g, '<br />')}</p>`)
    .join('');
}
