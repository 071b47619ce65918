/** Calls Reddit's API and maps its errors to failures. Some errors come with HTTP 200. */
import { z } from 'zod';
import type { FailureKind, PlatformFailure, PlatformIo } from '../contract.ts';
import { errorResponses } from '../error-responses.ts';
import { callPlatform, isProxyPage, type PlatformAnswer, platformWords, stringField } from '../http.ts';

export interface RedditCall {
  /** Sent as application/x-www-form-urlencoded by POST; GET when absent. */
  readonly form?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** Errors in a response of HTTP 200: code, message, and the field concerned. */
const Refusals = z.object({
  json: z.object({
    errors: z.array(z.array(z.string().nullish())).default([]),
    /** Seconds to wait; present with RATELIMIT. */
    ratelimit: z.number().positive().optional().catch(undefined),
  }),
});

/** Failure kinds of codes that do not mean that the post was refused. */
const CODES: ReadonlyMap<string, FailureKind> = new Map([
  ['RATELIMIT', 'unavailable'],
  ['QUOTA_FILLED', 'unavailable'],
  ['USER_REQUIRED', 'reconnect'],
]);

/** Wait after a rate-limit error that gives no duration. */
const BACKOFF_S = 60;

/** Reddit blocks user agents that are not unique, so this includes the app's id or the URL of this install. */
export function userAgent({ apps, endpoints }: PlatformIo): string {
  const { host } = new URL(endpoints.PUBLIC_URL);
  const name = apps.reddit === null ? host : `${apps.reddit.clientId}@${host}`;
  return `web:carillon.${name.replace(/[^\w.:@-]/g, '_')}:v1 (+${endpoints.PUBLIC_URL})`;
}

export function callReddit(
  io: PlatformIo,
  accessToken: string,
  path: string,
  { form, query }: RedditCall = {},
): Promise<PlatformAnswer> {
  const url = new URL(`${io.endpoints.REDDIT_API_URL}${path}`);
  // Without it, Reddit escapes &, < and > as HTML entities.
  url.search = new URLSearchParams({ raw_json: '1', ...query }).toString();
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json', 'user-agent': userAgent(io) };
  const body = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
  return callPlatform(io, url, { headers, ...body });
}

const table = errorResponses<PlatformAnswer>({
  name: 'Reddit',
  statuses: new Map([[401, 'reconnect']]),
  kindOf: (answer) => {
    const { status, headers } = answer;
    if (status === 200) return CODES.get(refusalOf(answer)?.code ?? '') ?? 'rejected';
    const lacksScope = status === 403 && (headers.get('www-authenticate') ?? '').includes('insufficient_scope');
    return lacksScope && !isProxyPage(answer) ? 'reconnect' : undefined;
  },
  // A response of HTTP 200 that asks to log in is about the token.
  isTokenDead: (answer) => answer.status === 200 && CODES.get(refusalOf(answer)?.code ?? '') === 'reconnect',
  reason,
  unavailable: (answer) => {
    const refusal = refusalOf(answer);
    if (refusal === null) return undefined;
    const seconds = refusal.waitSeconds ?? secondsIn(reason(answer)) ?? BACKOFF_S;
    const message = `Reddit accepts nothing for now; nothing was posted. ${reason(answer)}`;
    return { message, retryAfterMs: seconds * 1_000 };
  },
});

/** Returns the failure for the response to a delete (docs/contract/posts.md#refused-deletes); null for a success. */
export function deleteFailureOf(answer: PlatformAnswer): PlatformFailure | null {
  return isSuccess(answer) ? null : table.deleteFailure(answer);
}

/** Returns the failure for a response to a publishing call; null for a success. */
export function failureOf(answer: PlatformAnswer): PlatformFailure | null {
  return isSuccess(answer) ? null : table.failure(answer);
}

function isSuccess(answer: PlatformAnswer): boolean {
  return answer.status === 200 && refusalOf(answer) === null;
}

/** The error in a response of HTTP 200; null when there is none. */
function refusalOf({ status, body }: PlatformAnswer) {
  if (status !== 200) return null;
  const { errors = [], ratelimit: waitSeconds } = Refusals.safeParse(body).data?.json ?? {};
  const [first] = errors;
  return first === undefined ? null : { code: first[0] ?? '', words: first[1] ?? 'it gives no reason', waitSeconds };
}

function reason(answer: PlatformAnswer): string {
  const { status, body } = answer;
  const refusal = refusalOf(answer);
  if (refusal !== null) return platformWords(`${refusal.words} (${refusal.code})`);
  const words = [stringField(body, 'message'), stringField(body, 'reason')].filter((word) => word !== undefined);
  const given = stringField(body, 'explanation') ?? words.join(': ');
  return platformWords(given === '' ? `HTTP ${status}` : given);
}

/** Parses Reddit's wait message: `Take a break for 9 minutes before trying again.`, or `try again in an hour`. */
function secondsIn(words: string): number | undefined {
  const match = /(\d+|\ban?) (second|minute|hour)/.exec(words);
  if (match === null) return undefined;
  const unit = { second: 1, minute: 60, hour: 3_600 }[match[2] as 'second' | 'minute' | 'hour'];
  return (match[1]?.startsWith('a') === true ? 1 : Number(match[1])) * unit;
}
