/**
 * Shared by the fakes of Instagram and Threads: containers that fetch their images, take time to process, and are
 * published once.
 */
import sharp from 'sharp';
import type { FakeGraphError } from './fake-facebook.ts';
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

export interface FakeContainersOptions extends WireOptions {
  /** Number of status checks before a container is finished. (Default: 0, immediately) */
  readonly looksUntilFinished?: number;
  /** Maps an image's URL to one that is reachable here. (Default: unchanged) */
  readonly reach?: (url: string) => string;
}

/** Differences between the two platforms. */
export interface Dialect {
  /** Prefix of paths. */
  readonly root: string;
  readonly edges: { readonly posts: string; readonly publish: string; readonly limit: string };
  readonly text: string;
  readonly state: { readonly field: string; readonly problem: string };
  /** Origin of permalinks. */
  readonly website: string;
  /** Maximum number of images of a carousel. */
  readonly imagesMax: number;
  readonly imageTypes: readonly string[];
  /** Limits of width divided by height. */
  readonly ratio: readonly [min: number, max: number];
  /** Why a container with these fields is refused; null when it is accepted. */
  problemOf(fields: URLSearchParams): FakeGraphError | null;
  /** Answers requests that are not about containers; undefined for all others. */
  elsewhere(call: WireCall): WireAnswer | undefined;
}

export interface FakeAccount {
  readonly id: string;
  readonly username: string;
  /** Valid tokens; remove one to revoke it. */
  readonly tokens: Set<string>;
}

interface FakeImage {
  readonly url: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly altText: string | null;
}

export interface FakeContainer {
  readonly id: string;
  readonly accountId: string;
  readonly text: string;
  readonly images: readonly FakeImage[];
  readonly isChild: boolean;
  looksLeft: number;
  state: 'FINISHED' | 'PUBLISHED' | 'ERROR' | 'EXPIRED';
  problem?: string;
}

export interface FakePost {
  readonly id: string;
  readonly accountId: string;
  readonly text: string;
  readonly images: readonly FakeImage[];
  readonly createdAt: Date;
}

export interface FakeContainers extends Wire {
  addAccount(id: string, username: string, token: string): FakeAccount;
  /** Published posts, oldest first. */
  posts(): FakePost[];
  /** Containers, oldest first. */
  containers(): FakeContainer[];
  /** Faults for the next publishing calls, one each. */
  readonly faults: (Fault | FakeGraphError | undefined)[];
  /** Responses that replace those of the next calls of a route. */
  readonly answers: Record<string, WireAnswer[]>;
  /** Number of calls by method and path without ids. */
  readonly calls: Record<string, number>;
  /** Every call, as method, path without ids, and names of parameters. */
  readonly requests: { readonly method: string; readonly path: string; readonly parameters: Record<string, string> }[];
}

const RATE_LIMITED = { code: 4, message: '(#4) Application request limit reached', is_transient: true, status: 403 };
const UNKNOWN = { code: 1, message: 'An unknown error occurred', is_transient: true, status: 500 };

export async function startFakeContainers(
  { now, port, tap, looksUntilFinished = 0, reach = (url) => url }: FakeContainersOptions,
  dialect: Dialect,
): Promise<FakeContainers> {
  const { edges, root } = dialect;
  const accounts: FakeAccount[] = [];
  const containers = new Map<string, FakeContainer>();
  const posts = new Map<string, FakePost>();
  const faults: FakeContainers['faults'] = [];
  const answers: FakeContainers['answers'] = {};
  const calls: FakeContainers['calls'] = {};
  const requests: FakeContainers['requests'] = [];
  let lastId = 0;
  const nextId = () => String(178_000_000_000_000 + (lastId += 1));

  async function make(fields: URLSearchParams, account: FakeAccount): Promise<WireAnswer> {
    const problem = dialect.problemOf(fields);
    if (problem !== null) return graphRefusal(problem);
    const images = fields.get('media_type') === 'CAROUSEL' ? childrenOf(fields, account) : await fetched(fields);
    if ('code' in images) return graphRefusal(images);
    const container: FakeContainer = {
      id: nextId(),
      accountId: account.id,
      text: fields.get(dialect.text) ?? '',
      images,
      isChild: fields.get('is_carousel_item') === 'true',
      looksLeft: looksUntilFinished,
      state: 'FINISHED',
    };
    containers.set(container.id, container);
    return ok({ id: container.id });
  }

  /** Fetches the image of a container without authentication. */
  async function fetched(fields: URLSearchParams): Promise<FakeImage[] | FakeGraphError> {
    const url = fields.get('image_url');
    if (url === null) return [];
    const answer = await fetch(reach(url), { redirect: 'manual' }).catch(() => null);
    if (answer?.status !== 200) {
      return { code: 9004, error_subcode: 2_207_052, message: 'The media could not be fetched from this URI.' };
    }
    const bytes = Buffer.from(await answer.arrayBuffer());
    const type = answer.headers.get('content-type') ?? '';
    const { format, width, height } = await sharp(bytes).metadata();
    if (!dialect.imageTypes.includes(type) || type !== `image/${format}`) {
      return { code: 36_001, error_subcode: 2_207_005, message: 'The image format is not supported.' };
    }
    const [min, max] = dialect.ratio;
    if (width / height < min || width / height > max) {
      return { code: 36_003, error_subcode: 2_207_009, message: 'The aspect ratio is not supported.' };
    }
    return [{ url, type, bytes, altText: fields.get('alt_text') }];
  }

  function childrenOf(fields: URLSearchParams, account: FakeAccount): FakeImage[] | FakeGraphError {
    const children = (fields.get('children') ?? '').split(',').map((id) => containers.get(id));
    const isWrong = children.some((child) => child?.accountId !== account.id || !child.isChild || child.looksLeft > 0);
    if (isWrong || children.length < 2 || children.length > dialect.imagesMax) {
      return {
        code: 9004,
        error_subcode: 2_207_028,
        message: 'The carousel has too few or too many, or wrong children.',
      };
    }
    return children.flatMap((child) => child?.images ?? []);
  }

  function publish(fields: URLSearchParams, account: FakeAccount): WireAnswer {
    const container = containers.get(fields.get('creation_id') ?? '');
    if (container?.accountId !== account.id || container.state !== 'FINISHED' || container.isChild) {
      return graphRefusal({ code: 24, error_subcode: 2_207_006, message: 'The media is not found.' });
    }
    if (container.looksLeft > 0) {
      return graphRefusal({ code: 9007, error_subcode: 2_207_027, message: 'The media is not ready for publishing.' });
    }
    container.state = 'PUBLISHED';
    const { accountId, text, images } = container;
    const post = { id: nextId(), accountId, text, images, createdAt: now() };
    posts.set(post.id, post);
    return ok({ id: post.id });
  }

  function create(run: () => WireAnswer): WireAnswer | NoAnswer {
    const fault = faults.shift();
    if (typeof fault === 'object') return graphRefusal(fault);
    if (fault === 'rate_limited') return graphRefusal(RATE_LIMITED);
    const answer = withFault(fault, run);
    return typeof answer === 'object' && answer.status === 500 ? graphRefusal(UNKNOWN) : answer;
  }

  function list(query: URLSearchParams, account: FakeAccount): WireAnswer {
    const own = [...posts.values()].filter(({ accountId }) => accountId === account.id).toReversed();
    return ok({ data: own.slice(0, Number(query.get('limit') ?? 25)).map((post) => view(post, query)) });
  }

  function view(post: FakePost, query: URLSearchParams) {
    const all = {
      id: post.id,
      [dialect.text]: post.text === '' ? undefined : post.text,
      timestamp: post.createdAt.toISOString().replace(/\.\d+Z$/, '+0000'),
      permalink: `${dialect.website}/${post.id}/`,
    };
    return asked(all, query);
  }

  function read(id: string, query: URLSearchParams): WireAnswer {
    const account = accounts.find((one) => one.id === id);
    if (account !== undefined) return ok(asked({ id, username: account.username }, query));
    const post = posts.get(id);
    if (post !== undefined) return ok(view(post, query));
    const container = containers.get(id);
    if (container === undefined) return missing(id);
    const isBusy = container.looksLeft > 0;
    if (isBusy) container.looksLeft -= 1;
    const { field, problem } = dialect.state;
    const state = { [field]: isBusy ? 'IN_PROGRESS' : container.state, [problem]: container.problem };
    return ok(asked({ id, ...state }, query));
  }

  async function route(call: WireCall, name: string, id: string, account: FakeAccount) {
    const fields = new URLSearchParams(call.bytes.toString());
    switch (name) {
      case `POST /:id/${edges.posts}`:
        return id === account.id ? make(fields, account) : missing(id);
      case `POST /:id/${edges.publish}`:
        return create(() => (id === account.id ? publish(fields, account) : missing(id)));
      case `GET /:id/${edges.posts}`:
        return list(call.query, account);
      case `GET /:id/${edges.limit}`:
        return id === account.id ? ok({ data: [{ quota_usage: 0 }] }) : missing(id);
      case 'GET /:id':
        return read(id, call.query);
      default:
        return graphRefusal({ code: 2500, message: `Unknown path components: ${call.path}` });
    }
  }

  const wire = await startWire({ now, port, tap }, async (call) => {
    const isOurs = call.path.startsWith(`${root}/`);
    const path = isOurs ? call.path.slice(root.length) : call.path;
    const parameters = Object.fromEntries([...call.query, ...new URLSearchParams(call.bytes.toString())]);
    const name = `${call.method} ${path.replace(/^\/\d+/, '/:id')}`;
    requests.push({ method: call.method, path: path.replace(/^\/\d+/, '/:id'), parameters });
    calls[name] = (calls[name] ?? 0) + 1;
    const given = answers[name]?.shift();
    if (given !== undefined) return given;
    const elsewhere = dialect.elsewhere(isOurs ? { ...call, path } : call);
    if (elsewhere !== undefined) return elsewhere;
    const account = accounts.find(({ tokens }) => tokens.has(bearer(call) ?? ''));
    if (account === undefined) {
      return graphRefusal({ code: 190, message: `Error validating access token ${bearer(call)}` });
    }
    const id = (path.split('/')[1] ?? '').replace(/^me$/, account.id);
    return route(call, name.replace(/ \/me(?=\/|$)/, ' /:id'), id, account);
  });

  return {
    ...wire,
    addAccount: (id, username, token) => {
      const account = { id, username, tokens: new Set([token]) };
      accounts.push(account);
      return account;
    },
    posts: () => [...posts.values()],
    containers: () => [...containers.values()],
    faults,
    answers,
    calls,
    requests,
  };
}

/** The requested fields. */
function asked(all: Record<string, unknown>, query: URLSearchParams): Record<string, unknown> {
  const fields = new Set(['id', ...(query.get('fields') ?? '').split(',')]);
  return Object.fromEntries(Object.entries(all).filter(([field]) => fields.has(field)));
}

function ok(json: unknown): WireAnswer {
  return { status: 200, json };
}

/** An error in the format of the Graph API. */
export function graphRefusal({ status = 400, ...error }: FakeGraphError): WireAnswer {
  return { status, json: { error: { type: 'OAuthException', ...error, fbtrace_id: 'A1b2C3' } } };
}

function missing(id: string): WireAnswer {
  const message = `Unsupported request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`;
  return graphRefusal({ code: 100, error_subcode: 33, message });
}
