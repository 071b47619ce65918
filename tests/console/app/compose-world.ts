/** What tests of Compose need: a page without a browser, and a service that stores posts and loses answers. */
import { TRPCClientError } from '@trpc/client';
import { onTestFinished, vi } from 'vitest';
import type { Connection } from '../../../console/app/data/connections.ts';
import type { Api } from '../../../console/app/data/api-types.ts';
import {
  type Composition,
  type CreateInput,
  newComposition,
  type Pending,
} from '../../../console/app/views/compose/composition.ts';
import { type Sending, type Sent, sendStored, storePlanned } from '../../../console/app/views/compose/send.ts';
import type { Planned } from '../../../console/app/views/compose/requests.ts';
import { type CompositionStore, storeOf } from '../../../console/app/views/compose/store.ts';

/** Web storage in memory. @param isFull whether it refuses to keep anything */
export function fakeStorage({ isFull = false } = {}) {
  const entries = new Map<string, string>();
  return {
    getItem: (name: string) => entries.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (isFull) throw new DOMException('There is no room.', 'QuotaExceededError');
      entries.set(name, value);
    },
    removeItem: (name: string) => entries.delete(name),
  };
}

let stores = 0;

/** The store of a person who has not written anything yet. */
export function newStore(storage = fakeStorage()): CompositionStore {
  const page = { addEventListener: () => undefined, hidden: false };
  for (const name of ['window', 'document']) vi.stubGlobal(name, page);
  vi.stubGlobal('localStorage', storage);
  onTestFinished(() => void vi.unstubAllGlobals());
  stores += 1;
  return storeOf({ kind: 'key', key: `store ${stores}` });
}

/** A refusal of the service with a code; null when no answer arrives. */
export function refusal(code: string | null): TRPCClientError<never> {
  const data = code === null ? undefined : { error: { error: code } };
  return new TRPCClientError('No.', { result: { error: { code: -32_600, message: 'No.', data } } } as never);
}

export const BELL = { id: 'bell', slug: 'bell', profileId: null, platformId: 'sandbox' } as unknown as Connection;

type Create = CreateInput & { readonly idempotencyKey?: string };
type Post = {
  readonly id: string;
  readonly text: string;
  readonly connectionSlug: string;
  readonly createdAt: string;
  status: 'draft' | 'sent' | 'scheduled' | 'processing' | 'failed' | 'cancelled';
  error: object | null;
};

interface Filter {
  readonly status?: string;
  readonly connection?: string;
  readonly from?: string;
  readonly to?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/** What the service answers about a post besides what it was created with. */
function shown(post: Post) {
  return {
    ...post,
    originalText: post.text,
    connectionId: post.connectionSlug,
    platformId: BELL.platformId,
    profileId: null,
    thread: [],
    firstComment: null,
    tags: [],
    media: [],
    approval: null,
  };
}

/** Whether a post is on the list. Ids, times and slugs compare as text. */
function isListed({ id, status, connectionSlug, createdAt }: Post, filter: Filter): boolean {
  return (
    (filter.status ?? status) === status &&
    (filter.connection ?? connectionSlug) === connectionSlug &&
    (filter.from ?? createdAt) <= createdAt &&
    (filter.to ?? createdAt) >= createdAt &&
    (filter.cursor === undefined || id < filter.cursor)
  );
}

/** Ids that sort as they were given out. */
function idAfter(count: number): string {
  const digits = `${count + 1}`;
  return `post-${['', 'a', 'b', 'c'][digits.length - 1]}${digits}`;
}

/** A service that creates posts once per idempotency key, and replaces drafts that it knows or has never stored. */
export function fakeService() {
  const posts: Post[] = [];
  const ids = new Set<string>();
  const answers = new Map<string, object>();
  const calls: string[] = [];
  const waiting: (() => void)[] = [];
  let isHolding = false;
  let refusing: string | null | undefined;
  let isCarriedOut = false;
  let isRejecting = false;
  let refusingReads: string | null = null;
  let isReadingOne = false;
  const remove = (id: string) => {
    const index = posts.findIndex((post) => post.id === id);
    return index >= 0 && posts.splice(index, 1).length > 0;
  };
  const create = (input: Create) => {
    const known = answers.get(input.idempotencyKey ?? '');
    if (known !== undefined) return known;
    const { replaces = [] } = input;
    const isDraft = (id: string) => posts.some((post) => post.id === id && post.status === 'draft');
    if (replaces.some((id) => ids.has(id) && !isDraft(id))) throw refusal('not_found');
    const status = input.isDraft === true ? ('draft' as const) : ('sent' as const);
    const results = input.connectionSlugs.map((connectionSlug) => {
      if (isRejecting) {
        const error = { code: 'platform_rejected', message: 'No.' };
        return { connectionSlug, status: 'failed' as const, postId: null, error };
      }
      const createdAt = new Date().toISOString();
      const post = { id: idAfter(ids.size), text: input.text, connectionSlug, createdAt, status, error: null };
      ids.add(post.id);
      posts.push(post);
      return { connectionSlug, status, postId: post.id, error: null };
    });
    if (!isRejecting) for (const id of replaces) remove(id);
    answers.set(input.idempotencyKey ?? '', { results });
    return { results };
  };
  const answer = async <Answer>(call: string, result: () => Answer): Promise<Answer> => {
    calls.push(call);
    if (refusing !== undefined && !isCarriedOut) throw refusal(refusing);
    const made = result();
    if (isHolding) await new Promise<void>((resolve) => void waiting.push(resolve));
    if (refusing !== undefined) throw refusal(refusing);
    return made;
  };
  const api = {
    posts: {
      create: { mutate: (input: Create) => answer('create', () => create(input)) },
      list: {
        query: (filter: Filter) =>
          answer('list', () => {
            if (refusingReads !== null) throw refusal(refusingReads);
            const { limit = 25 } = filter;
            const found = posts.filter((post) => isListed(post, filter)).toReversed();
            const page = found.slice(0, limit).map(shown);
            return { posts: page, nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null };
          }),
      },
      delete: {
        mutate: ({ postId, ifStatus }: { readonly postId: string; readonly ifStatus?: string }) =>
          answer(`delete ${postId}`, () => {
            const post = posts.find(({ id }) => id === postId);
            if (post === undefined) throw refusal('not_found');
            if (ifStatus !== undefined && post.status !== ifStatus) throw refusal('post_not_cancellable');
            remove(postId);
          }),
      },
      get: {
        query: ({ postId }: { readonly postId: string }) =>
          answer(`get ${postId}`, () => {
            if (refusingReads !== null && !isReadingOne) throw refusal(refusingReads);
            const post = posts.find(({ id }) => id === postId);
            if (post === undefined) throw refusal('not_found');
            return { post: shown(post) };
          }),
      },
    },
  };
  return {
    api: api as unknown as Api,
    calls,
    posts,
    textsOf: (status: Post['status']) => posts.filter((post) => post.status === status).map(({ text }) => text),
    /** Carries out calls and holds their answers back. @returns lets them arrive */
    hold: () => {
      isHolding = true;
      return () => {
        isHolding = false;
        for (const release of waiting.splice(0)) release();
      };
    },
    /** Answers requests, and refuses the post of every connection, until it is called with false. */
    reject: (isOn: boolean) => {
      isRejecting = isOn;
    },
    /** Refuses to read posts, as for a key that may not, or to list them only. */
    refuseReads: (code: string, which: 'all' | 'lists' = 'all') => {
      refusingReads = code;
      isReadingOne = which === 'lists';
    },
    /** Refuses calls before or after it carries them out, until it is called without a code; null loses their answers. */
    refuse: (code?: string | null, when: 'before' | 'after' = code === null ? 'after' : 'before') => {
      refusing = code;
      isCarriedOut = when === 'after';
    },
  };
}

export type FakeService = ReturnType<typeof fakeService>;

/** A text for the bell that is written and shown. */
export function write(store: CompositionStore, changes: Partial<Composition> = {}): Composition {
  store.show({ ...newComposition(), text: 'Ding', targets: [BELL.id], ...changes });
  return store.current();
}

export function sendingOf({ api }: FakeService, store: CompositionStore): Sending {
  return { api, store, compositionId: store.current().id, connections: [BELL] };
}

/** The one request that the text for the bell takes. */
export function planned(input: Partial<CreateInput> = {}) {
  return [{ input: { text: 'Ding', connectionSlugs: ['bell'], ...input }, connections: [BELL] }];
}

/** Stores requests and sends them. */
export function sendPlanned(sending: Sending, kind: Pending['kind'], requests: readonly Planned[]): Promise<Sent> {
  const pending = storePlanned(sending, kind, requests);
  if (pending === null) throw new Error('others are pending');
  return sendStored(sending, pending);
}
