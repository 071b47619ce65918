/** Calls a Bluesky server (XRPC) and maps its error responses to failures. */
import { type FailureKind, PlatformFailure, type PlatformIo } from '../contract.ts';
import { callPlatform, isWebPage, type PlatformAnswer, platformWords, stringField, unavailable } from '../http.ts';
import { refusedDeleteKind } from '../refused-delete.ts';

/** Failure kind of a response other than 200: by the error name, otherwise by the status. */
const FAILURES = new Map<string | number | undefined, FailureKind>([
  ['ExpiredToken', 'reconnect'],
  ['InvalidToken', 'reconnect'],
  ['AccountTakedown', 'reconnect'],
  ['AccountDeactivated', 'reconnect'],
  [401, 'reconnect'],
  [403, 'reconnect'],
  [429, 'unavailable'],
]);

/** Calls an XRPC query, which needs no authentication. */
export function ask(
  io: PlatformIo,
  origin: string,
  method: string,
  parameters: Record<string, string>,
): Promise<PlatformAnswer> {
  return callPlatform(io, `${origin}/xrpc/${method}?${new URLSearchParams(parameters).toString()}`);
}

/** Input of an XRPC procedure: JSON or the bytes of a file. Leave out both for no body. */
export interface CommandBody {
  readonly input?: unknown;
  readonly file?: { readonly bytes: Uint8Array; readonly contentType: string };
}

/** Error names for an access token that has expired or was revoked. */
const DEAD_TOKENS: ReadonlySet<string | undefined> = new Set(['ExpiredToken', 'InvalidToken']);

/** Calls an XRPC procedure. `token` is an access token, or the refresh token for methods that require it. */
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

/** Error name of a response, e.g. `InvalidSwap`; undefined when it has none. */
export function errorName(answer: PlatformAnswer): string | undefined {
  return stringField(answer.body, 'error');
}

/** Failure kind of a response other than 200 to a publishing call. */
export function failureKind(answer: PlatformAnswer): FailureKind {
  if (isWebPage(answer) && answer.status !== 429) return 'unknown';
  const refused = answer.status >= 300 && answer.status < 500;
  return FAILURES.get(errorName(answer)) ?? FAILURES.get(answer.status) ?? (refused ? 'rejected' : 'unknown');
}

/** Returns the failure for a response other than 200. */
export function failure(answer: PlatformAnswer, kind: FailureKind = failureKind(answer)): PlatformFailure {
  if (kind === 'unavailable') return unavailable('Bluesky', answer);
  if (kind === 'unknown') return new PlatformFailure(kind, `Bluesky answered HTTP ${answer.status}.`);
  const verb = kind === 'reconnect' ? 'does not take this login' : 'refused';
  return new PlatformFailure(kind, `Bluesky ${verb}: ${reason(answer)}`);
}

/** Returns the failure for the response to a delete (docs/contract/posts.md#refused-deletes). */
export function deleteFailure(answer: PlatformAnswer): PlatformFailure {
  const isTokenDead = DEAD_TOKENS.has(errorName(answer));
  return failure(answer, refusedDeleteKind(answer, failureKind(answer), isTokenDead));
}

/** The server's own reason for refusing a call. */
export function reason(answer: PlatformAnswer): string {
  return platformWords(stringField(answer.body, 'message') ?? errorName(answer) ?? `HTTP ${answer.status}`);
}
