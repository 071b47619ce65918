/** Calls X's API v2 and maps its error responses to failures. */
import { z } from 'zod';
import type { PlatformIo } from '../contract.ts';
import { errorResponses } from '../error-responses.ts';
import { callPlatform, type PlatformAnswer, platformWords, stringField } from '../http.ts';

export interface XCall {
  /** Defaults to GET. */
  readonly method?: 'POST' | 'DELETE';
  readonly json?: unknown;
  /** Sent as multipart/form-data. */
  readonly form?: FormData;
}

/** Problem type for a token of a kind that X does not accept. */
const DEAD_TOKEN = 'unsupported-authentication';

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

export const { failure, requireDeleted } = errorResponses<PlatformAnswer>({
  name: 'X',
  // The last segment of a problem's `type`.
  codes: new Map([
    [DEAD_TOKEN, 'reconnect'],
    ['oauth1-permissions', 'reconnect'],
    ['client-forbidden', 'unavailable'],
    ['usage-capped', 'unavailable'],
  ]),
  codeOf: problemOf,
  statuses: new Map([
    [401, 'reconnect'],
    // The operator's credits are used up.
    [402, 'unavailable'],
  ]),
  kindOf: ({ status, body }) =>
    status === 403 && NO_SCOPE.test(stringField(body, 'detail') ?? '') ? 'reconnect' : undefined,
  redirectsRefuse: true,
  isTokenDead: (answer) => problemOf(answer) === DEAD_TOKEN,
  reason,
  wait: secondsToNextDay,
  unavailable: (answer) =>
    answer.status === 429
      ? undefined
      : { message: `X does not serve this install’s app now: ${reason(answer)}; nothing was posted.` },
});

/** Limits of 24 hours, each with separate headers: those of the account, and those of this install's app. */
const DAY_LIMITS = ['x-user-limit-24hour', 'x-app-limit-24hour'];

/**
 * Seconds until the limits of 24 hours that are used up end. `x-rate-limit-reset`, which comes with them, is about 15 minutes.
 * Undefined when none is used up.
 */
function secondsToNextDay({ headers, receivedAt }: PlatformAnswer): number | undefined {
  const resets = DAY_LIMITS.filter((limit) => headers.get(`${limit}-remaining`) === '0').map((limit) =>
    Number(headers.get(`${limit}-reset`)),
  );
  const seconds = Math.ceil(Math.max(0, ...resets.filter(Number.isFinite)) - receivedAt.getTime() / 1_000);
  return seconds > 0 ? seconds : undefined;
}

function problemOf({ body }: PlatformAnswer): string {
  return (stringField(body, 'type') ?? '').split('/').at(-1) ?? '';
}

/** X's own reason for refusing a call. */
export function reason({ status, body }: PlatformAnswer): string {
  const [first] = Problem.safeParse(body).data?.errors ?? [];
  const words =
    stringField(body, 'detail') ??
    stringField(first, 'message') ??
    stringField(body, 'error_description') ??
    stringField(body, 'title');
  return platformWords(words ?? `HTTP ${status}`);
}
