/**
 * Sends the requests of a composition, each once: also when the button is pressed twice, an answer is lost, or the tab
 * closes in between. The requests are stored before they are sent, and stay stored until their answers are known.
 */
import type { Connection } from '../../data/connections.ts';
import { isUndecided, newKey } from '../../data/intentions.ts';
import { codeOf, isRetryable } from '../../data/problem.ts';
import type { Api, Outputs } from '../../data/api-types.ts';
import { type ComposedRequest, type Composition, contentKey, isRepeatable, type Pending } from './composition.ts';
import { findSaved } from './forgotten-save.ts';
import { findGone, type GoneDraft } from './gone-drafts.ts';
import { withLost } from './lost-drafts.ts';
import { chosenOf, type Planned } from './requests.ts';
import { sendApproval } from './send-approval.ts';
import { isSent, mayBeOut } from './sent-elsewhere.ts';
import type { CompositionStore } from './store.ts';

type Answer = Outputs['posts']['create'];
type Answered = Answer['results'][number];

/** A post whose draft was published elsewhere may still be going out. */
type Result = Omit<Answered, 'status' | 'threadCount' | 'hasFirstComment'> & {
  readonly status: Answered['status'] | 'processing';
};

/** A result, and the connection it is for; null when the connection is gone. */
export interface SentResult {
  readonly connection: Connection | null;
  readonly result: Result;
}

export interface Sent {
  readonly results: readonly SentResult[];
  /** Those of drafts that were published or scheduled elsewhere, so that these connections were not sent to. */
  readonly elsewhere: readonly SentResult[];
  /** Why a whole request was refused or not answered; empty when all were answered. */
  readonly failures: readonly unknown[];
  /** Whether some request has no answer yet. */
  readonly isUndecided: boolean;
}

export const NOTHING: Sent = { results: [], elsewhere: [], failures: [], isUndecided: false };

export interface Sending {
  readonly api: Api;
  readonly store: CompositionStore;
  readonly compositionId: string;
  /** All that there are: nothing is written before they are read. */
  readonly connections: readonly Connection[];
}

/**
 * Stores the requests as pending, to be sent next.
 *
 * @returns null when there are none, when others are pending, maybe of another tab, and when the composition is gone
 */
export function storePlanned(
  { store, compositionId }: Sending,
  kind: Pending['kind'],
  planned: readonly Planned[],
): Pending | null {
  const present = store.find(compositionId);
  if (planned.length === 0 || present === undefined) return null;
  const requests = planned.map(({ input, approval }) => ({ key: newKey(), input, approval }));
  const pending: Pending = { kind, startedAt: Date.now(), requests, content: contentKey(present) };
  store.change((before) => (before.pending === null ? { pending } : {}), compositionId);
  return isSame(store.find(compositionId)?.pending, pending) ? pending : null;
}

/** Sends stored requests for the first time. */
export function sendStored(sending: Sending, pending: Pending): Promise<Sent> {
  return sendRequests(sending, pending, isUndecided);
}

/** Whether both are the same requests, or what is left of them. */
export function isSame(one: Pending | null | undefined, other: Pending): boolean {
  const keys = new Set(other.requests.map(({ key }) => key));
  return one?.requests.some(({ key }) => keys.has(key)) ?? false;
}

/**
 * Sends stored requests again that have no answer yet, and applies their answers to the composition. A save that the
 * service may no longer know is dropped instead: it would store its drafts a second time, and the text is saved anew.
 *
 * @throws when the drafts that a dropped save has stored cannot be found now
 */
export async function sendPending(sending: Sending, pending: Pending): Promise<Sent> {
  if (pending.kind === 'save' && !isRepeatable(pending, Date.now())) {
    await dropSave(sending, pending);
    return NOTHING;
  }
  return sendRequests(sending, pending, (failure) => isUndecided(failure) || isRefusedUnread(failure));
}

/** The text gets the drafts that the save has stored, so that what is saved next takes their place. */
async function dropSave({ api, store, compositionId, connections }: Sending, pending: Pending): Promise<void> {
  const others = [store.current(), ...store.others(), ...store.discarded().map(({ composition }) => composition)];
  const taken = others.flatMap(({ id, drafts }) => (id === compositionId ? [] : Object.values(drafts)));
  const found = await findSaved(api, pending, new Set(taken));
  const replaced = pending.requests.flatMap(({ input }, index) =>
    (found[index] ?? []).length > 0 ? (input.replaces ?? []) : [],
  );
  const fresh = found.flat().flatMap(({ id, connectionSlug, profileId }) => {
    const connection = connectionOf(connections, connectionSlug, profileId);
    return connection === null ? [] : [[connection.id, id] as const];
  });
  store.change((before) => {
    if (!isSame(before.pending, pending)) return {};
    const present = withoutGone(before, connections);
    return { pending: null, ...saved(present, pending, Object.fromEntries(fresh), new Set(replaced)) };
  }, compositionId);
}

/** Whether the service refused a request before it read the answer to the first one. */
function isRefusedUnread(failure: unknown): boolean {
  const code = codeOf(failure);
  return code === 'unauthorized' || code === 'forbidden' || (code !== null && isRetryable(code));
}

async function sendRequests(
  sending: Sending,
  pending: Pending,
  hasNoAnswer: (failure: unknown) => boolean,
): Promise<Sent> {
  const { api, store, compositionId, connections } = sending;
  const settled = await Promise.allSettled(pending.requests.map((request) => sendRequest(api, request)));
  const left = pending.requests.filter((_request, index) => {
    const outcome = settled[index];
    return outcome?.status === 'rejected' && hasNoAnswer(outcome.reason);
  });
  const results = settled.flatMap((outcome, index): SentResult[] => {
    const profileId = pending.requests[index]?.input.profileId ?? null;
    if (outcome.status === 'rejected') return [];
    return outcome.value.results.map((result) => ({
      result,
      connection: connectionOf(connections, result.connectionSlug, profileId),
    }));
  });
  const replaced = replacedIn(pending, settled);
  const failures = settled.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  const refused = pending.requests.filter((_request, index) => {
    const outcome = settled[index];
    return outcome?.status === 'rejected' && codeOf(outcome.reason) === 'not_found';
  });
  const present = refused.length === 0 ? undefined : store.find(compositionId);
  const gone = present === undefined ? [] : await findGone(api, present, refused, connections);
  const elsewhere = elsewhereOf(gone, connections);
  store.change((before) => {
    const found = gone.length === 0 ? {} : withoutLost(before, gone, elsewhere);
    const now = withoutGone({ ...before, ...found }, connections);
    return {
      ...found,
      pending: isSame(before.pending, pending) ? leftOf(pending, left) : before.pending,
      ...(pending.kind === 'save' ? saved(now, pending, draftsIn(results), replaced) : unsent(now, results, replaced)),
      // A post that was deleted elsewhere cannot be approved any more.
      ...(refused.some(({ approval }) => approval !== undefined) && { approval: null }),
    };
  }, compositionId);
  return { results, elsewhere, failures, isUndecided: left.length > 0 };
}

function leftOf(pending: Pending, requests: readonly ComposedRequest[]): Pending | null {
  return requests.length === 0 ? null : { ...pending, requests };
}

function sendRequest(api: Api, { key, input, approval }: ComposedRequest): Promise<Answer> {
  if (approval !== undefined) return sendApproval(api, { key, input, approval });
  return api.posts.create.mutate({ ...input, idempotencyKey: key });
}

/** The composition without chosen connections that were disconnected since: no request names them, so none has a result. */
function withoutGone(before: Composition, connections: readonly Connection[]): Composition {
  return { ...before, targets: chosenOf(before, connections).map(({ id }) => id) };
}

/** The results of drafts that became posts elsewhere, except of those that were taken down or cancelled since. */
function elsewhereOf(gone: readonly GoneDraft[], connections: readonly Connection[]): SentResult[] {
  return gone.flatMap(({ connectionId, post }): SentResult[] => {
    if (post === null || !isSent(post)) return [];
    const { id: postId, status, connectionSlug, url, scheduledFor, error } = post;
    const warning = `Its draft was ${status === 'scheduled' ? 'scheduled' : 'published'} elsewhere.`;
    const connection = connections.find(({ id }) => id === connectionId) ?? null;
    return [{ connection, result: { connectionSlug, status, postId, url, scheduledFor, error, warning } }];
  });
}

/** The text goes on without drafts that are gone, and is not sent to the connections to which they went out. */
function withoutLost(
  before: Composition,
  gone: readonly GoneDraft[],
  elsewhere: readonly SentResult[],
): Partial<Composition> {
  const ids = new Set(gone.map(({ id }) => id));
  const done = new Set(elsewhere.filter(({ result }) => mayBeOut(result)).map(({ connection }) => connection?.id));
  const lost = gone.filter(({ post }) => post === null).map(({ connectionId }) => connectionId);
  return {
    drafts: Object.fromEntries(Object.entries(before.drafts).filter(([, id]) => !ids.has(id))),
    targets: before.targets.filter((id) => !done.has(id)),
    savedAs: null,
    ...withLost(before, lost),
  };
}

/** The drafts that hold the text now: new ones, and the earlier ones of connections whose new draft was refused. */
function saved(
  before: Composition,
  { content }: Pending,
  fresh: Composition['drafts'],
  replaced: ReadonlySet<string>,
): Partial<Composition> {
  const drafts = { ...Object.fromEntries(leftDrafts(before, replaced)), ...fresh };
  const present = new Set(Object.values(drafts));
  const saves = content === undefined ? [] : [{ content, ids: Object.values(fresh) }];
  return { drafts, saves: [...saves, ...before.saves].filter(({ ids }) => ids.some((id) => present.has(id))) };
}

/** Drafts by connection, without the replaced ones of connections that are no longer chosen. */
function leftDrafts({ drafts, targets }: Composition, replaced: ReadonlySet<string>): [string, string][] {
  return Object.entries(drafts).filter(([id, postId]) => targets.includes(id) || !replaced.has(postId));
}

/** Ids of the drafts named by requests that stored a post; a request that stored none has deleted no draft. */
function replacedIn({ requests }: Pending, settled: readonly PromiseSettledResult<Answer>[]): ReadonlySet<string> {
  const replaced = requests.flatMap(({ input: { replaces = [] } }, index) => {
    const outcome = settled[index];
    const isStored = outcome?.status === 'fulfilled' && outcome.value.results.some(({ postId }) => postId !== null);
    return isStored ? replaces : [];
  });
  return new Set(replaced);
}

function draftsIn(results: readonly SentResult[]): Record<string, string> {
  const drafts = results.flatMap(({ connection, result: { status, postId } }) =>
    connection === null || postId === null || status !== 'draft' ? [] : [[connection.id, postId] as const],
  );
  return Object.fromEntries(drafts);
}

/**
 * Leaves only the connections for which sending again is right: what went out, and what may have gone out, is not sent
 * again.
 */
function unsent(
  before: Composition,
  results: readonly SentResult[],
  replaced: ReadonlySet<string>,
): Partial<Composition> {
  const done = new Set<string>();
  const stored = new Set<string>();
  for (const sent of results) {
    const { connection, result } = sent;
    if (connection === null) continue;
    if (mayBeOut(result)) done.add(connection.id);
    if (result.postId !== null) stored.add(connection.id);
  }
  return {
    targets: before.targets.filter((id) => !done.has(id)),
    drafts: Object.fromEntries(leftDrafts(before, replaced).filter(([id]) => !stored.has(id))),
    // A post that failed is no draft any more: it is sent again as a new one.
    ...(before.approval !== null && stored.has(before.approval.connectionId) && { approval: null }),
  };
}

function connectionOf(connections: readonly Connection[], slug: string, profileId: string | null): Connection | null {
  const named = connections.filter((connection) => connection.slug === slug);
  return named.find((connection) => connection.profileId === profileId) ?? named[0] ?? null;
}
