/** Calls to a Bluesky server (XRPC) and what its refusals mean. */
import { type FailureKind, PlatformFailure, type PlatformIo } from '../contract.ts';
import { callPlatform, isWebPage, type PlatformAnswer, platformWords, stringField, unavailable } from '../http.ts';
import { refusedDeleteKind } from '../refused-delete.ts';

/** What an answer other than 200 means, by the name of its error, else by its status. */
const FAILURES = new Map<string | number | undefined, FailureKind>([
  ['ExpiredToken', 'reconnect'],
  ['InvalidToken', 'reconnect'],
  ['AccountTakedown', 'reconnect'],
  ['AccountDeactivated', 'reconnect'],
  [401, 'reconnect'],
  [403, 'reconnect'],
  [429, 'unavailable'],
]);

/** Asks a question, which needs no login. */
export function ask(
  io: PlatformIo,
  origin: string,
  method: string,
  parameters: Record<string, string>,
): Promise<PlatformAnswer> {
  return callPlatform(io, `${origin}/xrpc/${method}?${new URLSearchParams(parameters).toString()}`);
}

/** What a command is given: JSON, or the bytes of a file; nothing when both are left out. */
export interface CommandBody {
  readonly input?: unknown;
  readonly file?: { readonly bytes: Uint8Array; readonly contentType: string };
}

/** Errors of an access token that has ended or was revoked. */
const DEAD_TOKENS: ReadonlySet<string | undefined> = new Set(['ExpiredToken', 'InvalidToken']);

/** Has something done; `token` is an access token, or the refresh token where that is what the method takes. */
export function command(
  io: PlatformIo,
  origin: string,
  method: string,
  call: CommandBody & { readonly token?: string },
): Promise<PlatformAnswer> {
  const headers: Record<string, string> = {};
  if (call.token !== undefined) headers['authorization'] = `Bearer ${call.token}`;
  const url = `${origin}/xrpc/${method}`;
  if (call.file !== undefined) {
    headers['content-type'] = call.file.contentType;
    return callPlatform(io, url, { method: 'POST', headers, body: call.file.bytes });
  }
  if (call.input !== undefined) headers['content-type'] = 'application/json';
  const body = call.input === undefined ? {} : { body: JSON.stringify(call.input) };
  return callPlatform(io, url, { method: 'POST', headers, ...body });
}

/** The name of an answer's error, e.g. `InvalidSwap`; undefined when it has none. */
export function errorName(answer: PlatformAnswer): string | undefined {
  return stringField(answer.body, 'error');
}

/** Kind of failure that an answer other than 200 is to a call that publishes. */
export function failureKind(answer: PlatformAnswer): FailureKind {
  if (isWebPage(answer) && answer.status !== 429) return 'unknown';
  const refused = answer.status >= 300 && answer.status < 500;
  return FAILURES.get(errorName(answer)) ?? FAILURES.get(answer.status) ?? (refused ? 'rejected' : 'unknown');
}

/** The failure that an answer other than 200 stands for. */
export function failure(answer: PlatformAnswer, kind: FailureKind = failureKind(answer)): PlatformFailure {
  if (kind === 'unavailable') return unavailable('Bluesky', answer);
  if (kind === 'unknown') return new PlatformFailure(kind, `Bluesky answered HTTP ${answer.status}.`);
  const verb = kind === 'reconnect' ? 'does not take this login' : 'refused';
  return new PlatformFailure(kind, `Bluesky ${verb}: ${reason(answer)}`);
}

/** The failure that the answer to a delete stands for (docs/contract/posts.md#refused-deletes). */
export function deleteFailure(answer: PlatformAnswer): PlatformFailure {
  const isTokenDead = DEAD_TOKENS.has(errorName(answer));
  return failure(answer, refusedDeleteKind(answer, failureKind(answer), isTokenDead));
}

/** Why a call was refused, in the server's own words. */
export function reason(answer: PlatformAnswer): string {
  return platformWords(stringField(answer.body, 'message') ?? errorName(answer) ?? `HTTP ${answer.status}`);
}
