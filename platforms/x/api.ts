/** Calls X's API v2 and maps its error responses to failures. */
import { z } from 'zod';
import { type FailureKind, PlatformFailure, type PlatformIo } from '../contract.ts';
import { callPlatform, isWebPage, type PlatformAnswer, platformWords, stringField, unavailable } from '../http.ts';
import { refusedDeleteKind } from '../refused-delete.ts';

export interface XCall {
  /** Defaults to GET. */
  readonly method?: 'POST' | 'DELETE';
  readonly json?: unknown;
  /** Sent as multipart/form-data. */
  readonly form?: FormData;
}

/** Problem type for a token of a kind that X does not accept. */
const DEAD_TOKEN = 'unsupported-authentication';

/** Failure kinds by the last segment of a problem's `type`. */
const PROBLEMS: ReadonlyMap<string, FailureKind> = new Map([
  [DEAD_TOKEN, 'reconnect'],
  ['oauth1-permissions', 'reconnect'],
  ['client-forbidden', 'unavailable'],
  ['usage-capped', 'unavailable'],
]);

/** Failure kinds by status, for responses without such a problem. 402: the operator's credits are used up. */
const STATUSES: ReadonlyMap<number, FailureKind> = new Map([
  [401, 'reconnect'],
  [402, 'unavailable'],
  [429, 'unavailable'],
]);

/** X's bare message for a token that lacks a scope; refusals of a post include a reason. */
const NO_SCOPE = /^forbidden\.?$|\bscopes?\b/i;

const Problem = z.object({ errors: z.array(z.unknown()).min(1) });

export function callX(io: PlatformIo, accessToken: string, path: string, call: XCall = {}): Promise<PlatformAnswer> {
  const headers: Record<string, string> = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
  if (call.json !== undefined) headers['content-type'] = 'application/json';
  const json = call.json === undefined ? {} : { body: JSON.stringify(call.json) };
  const body = call.form === undefined ? json : { body: call.form };
  return callPlatform(io, `${io.endpoints.X_API_URL}${path}`, { method: call.method ?? 'GET', headers, ...body });
}

/** Whether an answer is a success. */
export function isOk({ status }: PlatformAnswer): boolean {
  return status === 200 || status === 201;
}

/** Returns the failure for a response other than 2xx to a publishing call. */
export function failure(answer: PlatformAnswer, kind: FailureKind = failureKind(answer)): PlatformFailure {
  if (answer.status === 429) return unavailable('X', answer);
  if (kind === 'unknown') return new PlatformFailure(kind, `X answered HTTP ${answer.status}.`);
  if (kind === 'unavailable') {
    return new PlatformFailure(kind, `X does not serve this install’s app now: ${reason(answer)}; nothing was posted.`);
  }
  const verb = kind === 'reconnect' ? 'does not take this login' : 'refused';
  return new PlatformFailure(kind, `X ${verb}: ${reason(answer)}`);
}

/** Returns the failure for the response to a delete (docs/contract/posts.md#refused-deletes). */
export function deleteFailure(answer: PlatformAnswer): PlatformFailure {
  const problem = problemOf(answer);
  return failure(answer, refusedDeleteKind(answer, failureKind(answer), problem === DEAD_TOKEN));
}

function failureKind(answer: PlatformAnswer): FailureKind {
  const { status, body } = answer;
  if (isWebPage(answer) && status !== 429) return 'unknown';
  const problem = problemOf(answer);
  if (status === 403 && NO_SCOPE.test(stringField(body, 'detail') ?? '')) return 'reconnect';
  const refused = status >= 300 && status < 500;
  return (refused ? PROBLEMS.get(problem) : undefined) ?? STATUSES.get(status) ?? (refused ? 'rejected' : 'unknown');
}

function problemOf({ body }: PlatformAnswer): string {
  return (stringField(body, 'type') ?? '').split('/').at(-1) ?? '';
}

/** X's own reason for refusing a call. */
function reason({ status, body }: PlatformAnswer): string {
  const [first] = Problem.safeParse(body).data?.errors ?? [];
  const words =
    stringField(body, 'detail') ??
    stringField(first, 'message') ??
    stringField(body, 'error_description') ??
    stringField(body, 'title');
  return platformWords(words ?? `HTTP ${status}`);
}
