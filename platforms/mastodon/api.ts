/** Calls a server with Mastodon's client API and maps its error responses to failures. */
import type { PlatformIo } from '../contract.ts';
import { errorResponses } from '../error-responses.ts';
import { callPlatform, type PlatformAnswer, platformWords, stringField } from '../http.ts';

/** The server to call and the token to use. */
export interface Access {
  /** Origin of the server. */
  readonly origin: string;
  readonly accessToken: string;
}

interface Call {
  /** Defaults to GET. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly json?: unknown;
  /** Sent as multipart/form-data. */
  readonly form?: FormData;
  /** Idempotency key: a repeated call within an hour returns the first result. */
  readonly idempotencyKey?: string;
}

export function callMastodon(io: PlatformIo, access: Access, path: string, call: Call = {}): Promise<PlatformAnswer> {
  const headers: Record<string, string> = { authorization: `Bearer ${access.accessToken}`, accept: 'application/json' };
  if (call.json !== undefined) headers['content-type'] = 'application/json';
  if (call.idempotencyKey !== undefined) headers['idempotency-key'] = call.idempotencyKey;
  const json = call.json === undefined ? {} : { body: JSON.stringify(call.json) };
  const body = call.form === undefined ? json : { body: call.form };
  return callPlatform(io, `${access.origin}${path}`, { method: call.method ?? 'GET', headers, ...body });
}

export const { failure, requireDeleted } = errorResponses<PlatformAnswer>({
  name: 'The Mastodon server',
  statuses: new Map([
    [401, 'reconnect'],
    [403, 'reconnect'],
  ]),
  redirectsRefuse: true,
  reason,
});

/** The server's own reason for refusing a call; some servers give none. */
function reason(answer: PlatformAnswer): string {
  const words = stringField(answer.body, 'error_description') ?? stringField(answer.body, 'error');
  return platformWords(words ?? `HTTP ${answer.status}`);
}
