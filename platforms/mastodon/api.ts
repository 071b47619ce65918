/** Calls a server with Mastodon's client API and maps its error responses to failures. */
import { type FailureKind, PlatformFailure, type PlatformIo } from '../contract.ts';
import { callPlatform, isWebPage, type PlatformAnswer, platformWords, stringField, unavailable } from '../http.ts';
import { refusedDeleteKind } from '../refused-delete.ts';

/** The server to call and the token to use. */
export interface Access {
  /** Origin of the server. */
  readonly origin: string;
  readonly accessToken: string;
}

interface Call {
  /** Defaults to GET. */
  readonly method?: 'POST' | 'DELETE';
  readonly json?: unknown;
  /** Sent as multipart/form-data. */
  readonly form?: FormData;
  /** Idempotency key: a repeated call within an hour returns the first result. */
  readonly idempotencyKey?: string;
}

/** Failure kinds of responses other than 200, by status. */
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

/** Returns the failure for a response other than 200 to a publishing call. */
export function failure(answer: PlatformAnswer, kind: FailureKind = failureKind(answer)): PlatformFailure {
  if (kind === 'unavailable') return unavailable('Mastodon', answer);
  if (kind === 'unknown') return new PlatformFailure(kind, `The Mastodon server answered HTTP ${answer.status}.`);
  const verb = kind === 'reconnect' ? 'does not take this login' : 'refused';
  return new PlatformFailure(kind, `The Mastodon server ${verb}: ${reason(answer)}`);
}

/** Returns the failure for the response to a delete (docs/contract/posts.md#refused-deletes). */
export function deleteFailure(answer: PlatformAnswer): PlatformFailure {
  return failure(answer, refusedDeleteKind(answer, failureKind(answer), false));
}

function failureKind(answer: PlatformAnswer): FailureKind {
  if (isWebPage(answer) && answer.status !== 429) return 'unknown';
  const refused = answer.status >= 300 && answer.status < 500;
  return FAILURES.get(answer.status) ?? (refused ? 'rejected' : 'unknown');
}

/** The server's own reason for refusing a call; some servers give none. */
function reason(answer: PlatformAnswer): string {
  const words = stringField(answer.body, 'error_description') ?? stringField(answer.body, 'error');
  return platformWords(words ?? `HTTP ${answer.status}`);
}
