/**
 * A small Bluesky server: accounts, app passwords, sessions that expire and rotate, blobs and post records. It is
 * stricter than a real server in two points: a refresh token is invalid once used, without a grace period, and
 * facets must match the text.
 */
import { createHash } from 'node:crypto';
import { createFakeBlueskyOauth, type FakeBlueskyOauth } from './fake-bluesky-oauth.ts';
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

type BlueskyFault = Fault | 'token_expired';

export interface FakeBlueskyAccount {
  readonly did: string;
  readonly handle: string;
  /** Valid app passwords; remove one to revoke it. */
  readonly appPasswords: Set<string>;
  active: boolean;
}

interface FakeBlueskyPost {
  readonly uri: string;
  readonly cid: string;
  readonly record: PostRecord;
}

/** Metrics of a post in the public API. */
export interface FakeNumbers {
  readonly likeCount: number;
  readonly repostCount: number;
  readonly quoteCount: number;
  readonly replyCount: number;
}

interface PostRecord {
  readonly text: string;
  readonly createdAt: string;
  readonly facets?: readonly FacetRecord[];
  readonly reply?: { readonly root: unknown; readonly parent: unknown };
  readonly embed?: { readonly $type: string; readonly images: readonly EmbeddedImage[] };
}

interface EmbeddedImage {
  readonly image: { readonly ref: { readonly $link: string }; readonly mimeType: string; readonly size: number };
  readonly alt: string;
  readonly aspectRatio?: { readonly width: number; readonly height: number };
}

interface FakeBlob {
  readonly mimeType: string;
  readonly bytes: Buffer;
}

interface FacetRecord {
  readonly index: { readonly byteStart: number; readonly byteEnd: number };
  readonly features: readonly { readonly $type: string; readonly uri?: string; readonly tag?: string }[];
}

export interface FakeBluesky extends Wire {
  /** Its consent page. */
  readonly oauth: FakeBlueskyOauth;
  readonly accounts: FakeBlueskyAccount[];
  addAccount(handle: string, appPassword: string): FakeBlueskyAccount;
  /** Published posts, oldest first. */
  posts(): FakeBlueskyPost[];
  /** Uploaded blobs, by hash. */
  readonly blobs: Map<string, FakeBlob>;
  /** Metrics of posts that have any, by URI. */
  readonly numbers: Map<string, FakeNumbers>;
  /** Responses that replace those of the next calls of a method. */
  readonly answers: Record<string, WireAnswer[]>;
  /** Faults for the next create calls, one each. */
  readonly faults: BlueskyFault[];
  /** Faults for the next delete calls, one each. */
  readonly deleteFaults: Fault[];
  /** Number of calls by method, e.g. `com.atproto.repo.putRecord`. */
  readonly calls: Record<string, number>;
  /** Expires all access tokens, as after two hours. */
  expireAccessTokens(): void;
  /** Invalidates all refresh tokens, as after ninety days. */
  dropRefreshTokens(): void;
}

interface Token {
  readonly did: string;
  readonly expiresAt: number;
}

const ACCESS_MS = 2 * 60 * 60_000;
const REFRESH_MS = 90 * 24 * 60 * 60_000;
/** Maximum bytes of an upload, and of an image in a post. */
const UPLOAD_MAX_BYTES = 5 * 1024 * 1024;
const IMAGE_MAX_BYTES = 2_000_000;
const TID = /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/;

export async function startFakeBluesky({ now, port, tap }: WireOptions): Promise<FakeBluesky> {
  const accounts: FakeBlueskyAccount[] = [];
  const posts = new Map<string, FakeBlueskyPost>();
  const blobs = new Map<string, FakeBlob>();
  const access = new Map<string, Token>();
  const refresh = new Map<string, Token>();
  const faults: BlueskyFault[] = [];
  const deleteFaults: Fault[] = [];
  const numbers = new Map<string, FakeNumbers>();
  const answers: Record<string, WireAnswer[]> = {};
  const calls: Record<string, number> = {};
  let issued = 0;

  const refused = (status: number, error: string, message: string): WireAnswer => ({
    status,
    json: { error, message },
  });

  function session(account: FakeBlueskyAccount): WireAnswer {
    issued += 1;
    const [accessJwt, refreshJwt] = [`access-${issued}`, `refresh-${issued}`];
    access.set(accessJwt, { did: account.did, expiresAt: now().getTime() + ACCESS_MS });
    refresh.set(refreshJwt, { did: account.did, expiresAt: now().getTime() + REFRESH_MS });
    const endpoint = { id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: wire.url };
    const { did, handle, active } = account;
    const status = active ? {} : { status: 'deactivated' };
    return {
      status: 200,
      json: { did, handle, accessJwt, refreshJwt, active, ...status, didDoc: { service: [endpoint] } },
    };
  }

  /** The account of a valid token, or the error that servers return. */
  function owner(call: WireCall, tokens: Map<string, Token>): FakeBlueskyAccount | WireAnswer {
    if (call.headers.authorization?.startsWith('DPoP ')) return boundOwner(call);
    const token = bearer(call);
    if (token === undefined) return refused(401, 'AuthMissing', 'Authentication Required');
    const found = tokens.get(token);
    if (found === undefined) return refused(400, 'InvalidToken', 'Token could not be verified');
    if (found.expiresAt <= now().getTime()) return refused(400, 'ExpiredToken', 'Token has expired');
    return accounts.find(({ did }) => did === found.did) ?? refused(400, 'InvalidToken', 'Token could not be verified');
  }

  function boundOwner(call: WireCall): FakeBlueskyAccount | WireAnswer {
    const owned = oauth.owner(call);
    if (typeof owned !== 'string') return owned;
    return accounts.find(({ did }) => did === owned) ?? refused(400, 'InvalidToken', 'Token could not be verified');
  }

  function getSession(call: WireCall): WireAnswer {
    const account = owner(call, access);
    if ('status' in account) return account;
    return { status: 200, json: { did: account.did, handle: account.handle, active: account.active } };
  }

  function createSession(call: WireCall): WireAnswer {
    const { identifier, password } = call.json as { identifier: string; password: string };
    const account = accounts.find(({ did, handle }) => handle === identifier || did === identifier);
    if (account?.appPasswords.has(password)) return session(account);
    return refused(401, 'AuthenticationRequired', 'Invalid identifier or password');
  }

  function refreshSession(call: WireCall): WireAnswer {
    const account = owner(call, refresh);
    if ('status' in account) return account;
    refresh.delete(bearer(call) ?? '');
    return session(account);
  }

  function putRecord(call: WireCall, account: FakeBlueskyAccount): WireAnswer {
    const input = call.json as {
      repo: string;
      collection: string;
      rkey: string;
      record: PostRecord;
      swapRecord?: null;
    };
    const problem = recordProblem(input) ?? embedProblem(input.record, blobs);
    if (problem !== undefined) return refused(400, 'InvalidRequest', problem);
    if (input.repo !== account.did) return refused(403, 'Forbidden', 'This is not your repository');
    const uri = `at://${account.did}/${input.collection}/${input.rkey}`;
    const cid = `bafyrei${createHash('sha256').update(JSON.stringify(input.record)).digest('hex').slice(0, 52)}`;
    const existing = posts.get(uri);
    // Putting the same record again changes nothing and is no conflict.
    if (existing !== undefined && existing.cid !== cid && input.swapRecord === null) {
      return refused(400, 'InvalidSwap', `Record was at ${existing.cid}`);
    }
    posts.set(uri, { uri, cid, record: input.record });
    return { status: 200, json: { uri, cid, validationStatus: 'valid' } };
  }

  function create(call: WireCall): WireAnswer | NoAnswer {
    const account = owner(call, access);
    if ('status' in account) return account;
    if (!account.active) return refused(401, 'AccountDeactivated', 'Account is deactivated');
    const fault = faults.shift();
    if (fault === 'token_expired') return refused(400, 'ExpiredToken', 'Token has expired');
    return withFault(fault, () => putRecord(call, account));
  }

  // Like real servers, accepts large uploads and refuses them only when a record references them.
  function uploadBlob(call: WireCall): WireAnswer {
    const account = owner(call, access);
    if ('status' in account) return account;
    if (call.bytes.length > UPLOAD_MAX_BYTES) return refused(413, 'PayloadTooLarge', 'request entity too large');
    const cid = `bafkrei${createHash('sha256').update(call.bytes).digest('hex').slice(0, 52)}`;
    const mimeType = call.headers['content-type'] ?? 'application/octet-stream';
    blobs.set(cid, { mimeType, bytes: call.bytes });
    return { status: 200, json: { blob: { $type: 'blob', ref: { $link: cid }, mimeType, size: call.bytes.length } } };
  }

  function getRecord({ query }: WireCall): WireAnswer {
    const uri = `at://${query.get('repo')}/${query.get('collection')}/${query.get('rkey')}`;
    const post = posts.get(uri);
    if (post === undefined) return refused(400, 'RecordNotFound', `Could not locate record: ${uri}`);
    return { status: 200, json: { uri, cid: post.cid, value: post.record } };
  }

  function deleteRecord(call: WireCall): WireAnswer | NoAnswer {
    const account = owner(call, access);
    if ('status' in account) return account;
    const { collection, rkey } = call.json as { collection: string; rkey: string };
    return withFault(deleteFaults.shift(), () => {
      posts.delete(`at://${account.did}/${collection}/${rkey}`);
      return { status: 200, json: {} };
    });
  }

  function getPosts({ query }: WireCall): WireAnswer {
    const uris = query.getAll('uris');
    if (uris.length > 25) return refused(400, 'InvalidRequest', 'array too big (maximum 25) at uris');
    const none = { likeCount: 0, repostCount: 0, quoteCount: 0, replyCount: 0 };
    const found = uris.filter((uri) => posts.has(uri)).map((uri) => ({ uri, ...none, ...numbers.get(uri) }));
    return { status: 200, json: { posts: found } };
  }

  function resolveHandle({ query }: WireCall): WireAnswer {
    const account = accounts.find(({ handle }) => handle === query.get('handle'));
    if (account === undefined) return refused(400, 'HandleNotFound', 'Unable to resolve handle');
    return { status: 200, json: { did: account.did } };
  }

  const methods: Record<string, (call: WireCall) => WireAnswer | NoAnswer> = {
    'com.atproto.server.createSession': createSession,
    'com.atproto.server.getSession': getSession,
    'com.atproto.server.refreshSession': refreshSession,
    'com.atproto.repo.putRecord': create,
    'com.atproto.repo.uploadBlob': uploadBlob,
    'com.atproto.repo.getRecord': getRecord,
    'com.atproto.repo.deleteRecord': deleteRecord,
    'com.atproto.identity.resolveHandle': resolveHandle,
    'app.bsky.feed.getPosts': getPosts,
  };

  const oauth = createFakeBlueskyOauth({
    now,
    origin: () => wire.url,
    find: (did) => accounts.find((account) => account.did === did),
  });
  const wire = await startWire({ now, port, tap }, (call) => {
    const consented = oauth.answer(call);
    if (consented !== undefined) return consented;
    const name = call.path.replace('/xrpc/', '');
    calls[name] = (calls[name] ?? 0) + 1;
    return (
      answers[name]?.shift() ??
      methods[name]?.(call) ??
      refused(400, 'InvalidRequest', `No service configured for ${name}`)
    );
  });

  return {
    ...wire,
    oauth,
    accounts,
    addAccount: (handle, appPassword) => {
      // Letters and digits of base32, as in the directory.
      const digits = createHash('sha256').update(handle).digest('hex').slice(0, 24);
      const did = `did:plc:${digits.replace(/[0189]/g, 'z')}`;
      const account = { did, handle, appPasswords: new Set([appPassword]), active: true };
      accounts.push(account);
      return account;
    },
    posts: () => [...posts.values()],
    blobs,
    numbers,
    answers,
    faults,
    deleteFaults,
    calls,
    expireAccessTokens: () => {
      for (const [token, { did }] of access) access.set(token, { did, expiresAt: 0 });
    },
    dropRefreshTokens: () => refresh.clear(),
  };
}

function recordProblem({ rkey, record }: { rkey: string; record: PostRecord }): string | undefined {
  if (!TID.test(rkey)) return `Invalid record key for app.bsky.feed.post: ${rkey}`;
  const graphemes = [...new Intl.Segmenter().segment(record.text)].length;
  if (graphemes > 300)
    return `Invalid app.bsky.feed.post record: grapheme too big (maximum 300, got ${graphemes}) at $.record.text`;
  const bytes = Buffer.byteLength(record.text);
  if (bytes > 3000)
    return `Invalid app.bsky.feed.post record: string too big (maximum 3000, got ${bytes}) at $.record.text`;
  if (Number.isNaN(Date.parse(record.createdAt)))
    return 'Invalid app.bsky.feed.post record: Invalid datetime at $.record.createdAt';
  return facetProblem(record);
}

function embedProblem({ embed }: PostRecord, blobs: ReadonlyMap<string, FakeBlob>): string | undefined {
  if (embed === undefined) return undefined;
  if (embed.$type !== 'app.bsky.embed.images') return `Invalid embed ${embed.$type}`;
  if (embed.images.length > 4)
    return 'Invalid app.bsky.feed.post record: array too big (maximum 4) at $.record.embed.images';
  for (const { image, alt, aspectRatio } of embed.images) {
    const blob = blobs.get(image.ref.$link);
    if (blob === undefined) return `Could not find blob: ${image.ref.$link}`;
    if (image.size !== blob.bytes.length || image.mimeType !== blob.mimeType) return 'Referenced blob does not match';
    if (blob.bytes.length > IMAGE_MAX_BYTES)
      return `This file is too large. It is ${blob.bytes.length} bytes but the maximum is ${IMAGE_MAX_BYTES}.`;
    if (!blob.mimeType.startsWith('image/'))
      return `Wrong type of file. It is ${blob.mimeType} but it must match image/*.`;
    if (typeof alt !== 'string') return 'Invalid app.bsky.feed.post record: Missing required key "alt"';
    const sides = aspectRatio === undefined ? [] : [aspectRatio.width, aspectRatio.height];
    if (sides.some((side) => !Number.isInteger(side) || side < 1)) return 'Invalid aspectRatio';
  }
  return undefined;
}

/**
 * Real servers accept any offsets; this one requires them in order, on character boundaries, around the text they
 * name.
 */
function facetProblem({ text, facets = [] }: PostRecord): string | undefined {
  const bytes = Buffer.from(text);
  let end = 0;
  for (const { index, features } of facets) {
    const piece = bytes.subarray(index.byteStart, index.byteEnd).toString();
    const [feature] = features;
    const named =
      feature?.uri?.replace(/^https:\/\/(?!.*https?:)/, '') ?? (feature?.tag === undefined ? '@' : feature.tag);
    if (index.byteStart < end || index.byteEnd <= index.byteStart || index.byteEnd > bytes.length)
      return 'A facet is out of place';
    if (piece.includes('\ufffd') || !piece.includes(named)) return `A facet covers "${piece}" for "${named}"`;
    end = index.byteEnd;
  }
  return undefined;
}
