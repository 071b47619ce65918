/** Makes one call to a platform's HTTP API: bounded, parsed, and with a named failure for each network error. */
import { PlatformFailure } from './failure.ts';
import type { FetchInit, PlatformIo } from './io.ts';
import { cutText, shortened, visibleText } from './untrusted.ts';

/**
 * The injected fetch throws this when no byte of the request can have reached the server: unknown host, refused
 * address, refused connection, failed TLS, connect timeout.
 */
export class NotSentError extends Error {
  override name = 'NotSentError';
}

/** A platform's response with its body read, and parsed if it is JSON. */
export interface PlatformAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** When it arrived, by the app's clock. */
  readonly receivedAt: Date;
  /** Parsed JSON, or the raw text if it is not JSON. */
  readonly body: unknown;
}

/**
 * Maximum characters of a platform's text that an adapter puts into a message. The gate then hides secrets and
 * shortens it.
 */
const WORDS_MAX = 1_000;

/** Returns a platform's text on one visible line. */
export function platformWords(text: string): string {
  return shortened(visibleText(cutText(text, WORDS_MAX * 4)), WORDS_MAX);
}

/** Reads a string field from a body of unknown shape; undefined when it is not a string. */
export function stringField(body: unknown, field: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value = (body as Record<string, unknown>)[field];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Calls a platform and reads its whole response, with any status.
 *
 * @throws PlatformFailure `unavailable` when nothing can have been sent, `unknown` when the request may have
 * arrived but the response was lost, truncated or timed out.
 */
export async function callPlatform(io: PlatformIo, url: string | URL, init: FetchInit = {}): Promise<PlatformAnswer> {
  const host = new URL(url).host;
  try {
    const response = await io.fetch(url, { ...init, signal: init.signal ?? io.signal });
    const text = await response.text();
    return { status: response.status, headers: response.headers, receivedAt: io.now(), body: parseBody(text) };
  } catch (cause) {
    if (cause instanceof NotSentError) {
      throw new PlatformFailure('unavailable', `${host} could not be reached: ${cause.message}`, { cause });
    }
    throw new PlatformFailure('unknown', `${host} did not answer completely.`, { cause });
  }
}

/**
 * Whether a proxy or load balancer answered, not the platform's API. APIs answer in JSON; proxies answer with an HTML page, with a
 * text such as `404 page not found`, or with a bare 404. Other errors without a body count as the platform's own, because some
 * servers give no reason for them.
 */
export function isProxyPage({ status, body }: PlatformAnswer): boolean {
  return body === null ? status === 404 || status === 410 : typeof body !== 'object';
}

/**
 * Whether a status is about the server and not about the call: a timeout, a rate limit or a failure. A server that answers 408
 * may have processed the call, because proxies send it when the server behind them is slow.
 */
export function isTemporary({ status }: { readonly status: number }): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Runs calls that publish nothing: a failure that is `unknown` for a publishing call is `unavailable` here. */
export async function withoutPublishing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PlatformFailure) || error.kind !== 'unknown') throw error;
    throw new PlatformFailure('unavailable', error.message, { cause: error, retryAfterMs: error.retryAfterMs });
  }
}

/** Seconds to wait after a 429 that does not say how long. */
const BACKOFF_SECONDS = 60;

/** Headers that say when the rate limit resets. */
const RESETS = ['x-rate-limit-reset', 'x-ratelimit-reset', 'ratelimit-reset'];

/** Values from here on are instants in seconds since 1970; smaller ones are seconds from now. */
const INSTANTS_FROM = 1_000_000_000;

/**
 * Seconds that a response asks to wait: from Retry-After, or on a 429 from the rate-limit headers. Undefined when
 * absent.
 */
function askedWaitSeconds({ status, headers, receivedAt }: PlatformAnswer): number | undefined {
  const value = headers.get('retry-after');
  const asked = value === null ? undefined : retryAfterSeconds(value, receivedAt);
  if (asked !== undefined) return asked;
  if (status !== 429) return undefined;
  const reset = RESETS.map((name) => headers.get(name)).find((found) => found !== null);
  return reset === undefined || reset === null ? undefined : secondsUntil(reset, receivedAt);
}

/** Parses Retry-After, whose whole numbers are always seconds from now; undefined for past dates and other values. */
function retryAfterSeconds(value: string, now: Date): number | undefined {
  return /^\d+$/.test(value) ? Number(value) : secondsUntil(value, now);
}

/**
 * Parses seconds, an instant in seconds since 1970, or an ISO or HTTP date; undefined for past instants and other
 * values.
 */
function secondsUntil(reset: string, now: Date): number | undefined {
  const isNumber = /^\d+(\.\d+)?$/.test(reset);
  if (isNumber && Number(reset) < INSTANTS_FROM) return Math.ceil(Number(reset));
  const instant = isNumber ? Number(reset) * 1000 : Date.parse(reset);
  const seconds = Math.ceil((instant - now.getTime()) / 1000);
  return seconds > 0 ? seconds : undefined;
}

/**
 * Milliseconds to wait before calling a platform again; undefined when the response does not ask for a wait.
 *
 * @param wait seconds that the platform asks to wait, if it reports them in its own form
 */
export function retryAfterMsOf(answer: PlatformAnswer, wait = askedWaitSeconds(answer)): number | undefined {
  const seconds = wait ?? (answer.status === 429 ? BACKOFF_SECONDS : undefined);
  return seconds === undefined ? undefined : seconds * 1000;
}

/**
 * Returns the failure for a temporary refusal: 429, or 5xx on a call that publishes nothing.
 *
 * @param wait seconds that the platform asks to wait, if it reports them in its own form
 */
export function unavailable(
  platformName: string,
  answer: PlatformAnswer,
  wait = askedWaitSeconds(answer),
): PlatformFailure {
  return new PlatformFailure(
    'unavailable',
    `${platformName} answered HTTP ${answer.status}${wait === undefined ? '' : `, asking to wait ${wait} s`}; nothing was posted.`,
    { retryAfterMs: retryAfterMsOf(answer, wait) },
  );
}

function parseBody(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
