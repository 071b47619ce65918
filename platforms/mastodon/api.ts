/** Calls to a server that speaks Mastodon's client API, and what its refusals mean. */
import { type FailureKind, PlatformFailure, type PlatformIo } from '../contract.ts';
import { callPlatform, isWebPage, type PlatformAnswer, platformWords, stringField, unavailable } from '../http.ts';
import { refusedDeleteKind } from '../refused-delete.ts';

/** Where to call and with what. */
export interface Access {
  /** Origin of the server. */
  readonly origin: string;
  readonly accessToken: string;
}

interface Call {
  /** GET when left out. */
  readonly method?: 'POST' | 'DELETE';
  readonly json?: unknown;
  /** Sent as multipart/form-data. */
  readonly form?: FormData;
  /** Makes a repeat of the call within the hour answer as the first did. */
  readonly idempotencyKey?: string;
}

/** What an answer other than 200 means, by its status. */
const FAILURES: ReadonlyMap<number, FailureKind> = new Map([
  [401, 'reconnect'],
  [403, 'reconnect'],
  [429, 'unavailable'],
]);

export function callMastodon(io: PlatformIo, access: Access, path: string, call: Call = {}): Promise<PlatformAnswer> {
  const headers: Record<string, string> = { authorization: `Bearer ${access.accessToken}`, accept: 'application/json' };
  if (call.json !== undefined) headers['content-type'] = 'application/json';
  if (call.idempotencyKey !== undefined) headers['idempotency-key'] = call.idempotencyKey;
  const json = call.json === undefined ? {} : { body: JSON.stringify(call.json) };
  const body = call.form === undefined ? json : { body: call.form };
  return callPlatform(io, `${access.origin}${path}`, { method: call.method ?? 'GET', headers, ...body });
}

/** The failure that an answer other than 200 stands for, to a call that publishes. */
export function failure(answer: PlatformAnswer, kind: FailureKind = failureKind(answer)): PlatformFailure {
  if (kind === 'unavailable') return unavailable('Mastodon', answer);
  if (kind === 'unknown') return new PlatformFailure(kind, `The Mastodon server answered HTTP ${answer.status}.`);
  const verb = kind === 'reconnect' ? 'does not take this login' : 'refused';
  return new PlatformFailure(kind, `The Mastodon server ${verb}: ${reason(answer)}`);
}

/** The failure that the answer to a delete stands for (docs/contract/posts.md#refused-deletes). */
export function deleteFailure(answer: PlatformAnswer): PlatformFailure {
  return failure(answer, refusedDeleteKind(answer, failureKind(answer), false));
}

function failureKind(answer: PlatformAnswer): FailureKind {
  if (isWebPage(answer) && answer.status !== 429) return 'unknown';
  const refused = answer.status >= 300 && answer.status < 500;
  return FAILURES.get(answer.status) ?? (refused ? 'rejected' : 'unknown');
}

/** Why a call was refused, in the server's own words; some servers have none. */
function reason(answer: PlatformAnswer): string {
  const words = stringField(answer.body, 'error_description') ?? stringField(answer.body, 'error');
  return platformWords(words ?? `HTTP ${answer.status}`);
}
