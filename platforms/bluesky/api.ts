/** Calls a Bluesky server (XRPC) and maps its error responses to failures. */
import type { PlatformIo } from '../contract.ts';
import { errorResponses } from '../error-responses.ts';
import { isProofRefused, refusedProofMessage } from '../refused-proof.ts';
import { callPlatform, type PlatformAnswer, platformWords, stringField } from '../http.ts';

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

/** The server's own reason for refusing a call. */
export function reason(answer: PlatformAnswer): string {
  return platformWords(stringField(answer.body, 'message') ?? errorName(answer) ?? `HTTP ${answer.status}`);
}

/** Error names for an access token that has expired or was revoked. */
const DEAD_TOKENS: ReadonlySet<string | undefined> = new Set(['ExpiredToken', 'InvalidToken']);

export const { failure, failureKind, requireDeleted } = errorResponses<PlatformAnswer>({
  name: 'Bluesky',
  codes: new Map([
    ['ExpiredToken', 'reconnect'],
    ['InvalidToken', 'reconnect'],
    ['AccountTakedown', 'reconnect'],
    ['AccountDeactivated', 'reconnect'],
  ]),
  codeOf: errorName,
  statuses: new Map([
    [401, 'reconnect'],
    [403, 'reconnect'],
  ]),
  kindOf: (answer) => (answer.status === 401 && isProofRefused(errorName(answer)) ? 'unavailable' : undefined),
  unavailable: (answer) =>
    isProofRefused(errorName(answer)) ? { message: refusedProofMessage('Bluesky') } : undefined,
  // Every XRPC error has a name: https://atproto.com/specs/xrpc#error-responses
  isOwn: (answer) => answer.status < 400 || errorName(answer) !== undefined,
  redirectsRefuse: true,
  isTokenDead: (answer) => DEAD_TOKENS.has(errorName(answer)),
  reason,
});
