/** Calls Reddit's API and maps its errors to failures. Some errors come with HTTP 200. */
import { z } from 'zod';
import { type FailureKind, PlatformFailure, type PlatformIo } from '../contract.ts';
import { callPlatform, isWebPage, type PlatformAnswer, platformWords, stringField } from '../http.ts';
import { refusedDeleteKind } from '../refused-delete.ts';

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

/**
 * Returns the failure for the response to a delete (docs/contract/posts.md#refused-deletes); null for a success. A
 * response of HTTP 200 that asks for a login is about the token.
 */
export function deleteFailureOf(answer: PlatformAnswer): PlatformFailure | null {
  const refused = failureOf(answer);
  if (refused === null) return null;
  const isTokenDead = answer.status === 200 && refused.kind === 'reconnect';
  const kind = refusedDeleteKind(answer, refused.kind, isTokenDead);
  return kind === refused.kind ? refused : failure(answer, kind);
}

/** Returns the failure for a response to a publishing call; null for a success. */
export function failureOf(answer: PlatformAnswer): PlatformFailure | null {
  if (answer.status !== 200) return failure(answer);
  const { errors = [], ratelimit } = Refusals.safeParse(answer.body).data?.json ?? {};
  const [first] = errors;
  if (first === undefined) return null;
  const code = first[0] ?? '';
  const words = platformWords(`${first[1] ?? 'it gives no reason'} (${code})`);
  const kind = CODES.get(code) ?? 'rejected';
  if (kind === 'unavailable') {
    const retryAfterMs = (ratelimit ?? secondsIn(words) ?? BACKOFF_S) * 1_000;
    return new PlatformFailure(kind, `Reddit takes nothing for now; nothing was posted. ${words}`, { retryAfterMs });
  }
  return new PlatformFailure(kind, `Reddit ${kind === 'rejected' ? 'refused' : 'does not take this login'}: ${words}`);
}

/** @param known the failure kind of the response; by default, its status decides */
function failure(answer: PlatformAnswer, known?: FailureKind): PlatformFailure {
  const { status, headers, body } = answer;
  if (status === 429) {
    const seconds = Number(headers.get('retry-after') ?? headers.get('x-ratelimit-reset') ?? Number.NaN);
    const retryAfterMs = (seconds > 0 ? seconds : BACKOFF_S) * 1_000;
    return new PlatformFailure('unavailable', 'Reddit answered HTTP 429; nothing was posted.', { retryAfterMs });
  }
  const isRefusal = status >= 400 && status < 500 && !isWebPage(answer);
  if (!isRefusal) return new PlatformFailure('unknown', `Reddit answered HTTP ${status}.`);
  const lacksScope = status === 403 && (headers.get('www-authenticate') ?? '').includes('insufficient_scope');
  const kind = known ?? (status === 401 || lacksScope ? 'reconnect' : 'rejected');
  const words = [stringField(body, 'message'), stringField(body, 'reason')];
  const told = stringField(body, 'explanation') ?? words.filter((word) => word !== undefined).join(': ');
  const verb = kind === 'reconnect' ? 'does not take this login' : 'refused';
  return new PlatformFailure(kind, `Reddit ${verb}: ${platformWords(told === '' ? `HTTP ${status}` : told)}`);
}

/** Parses Reddit's wait message: `Take a break for 9 minutes before trying again.` */
function secondsIn(words: string): number | undefined {
  const match = /(\d+) (second|minute|hour)/.exec(words);
  if (match === null) return undefined;
  const unit = { second: 1, minute: 60, hour: 3_600 }[match[2] as 'second' | 'minute' | 'hour'];
  return Number(match[1]) * unit;
}
