/** One call to a platform's HTTP API: bounded, parsed, and with every failure of the wire named. */
import type { FetchInit, PlatformIo } from './contract.ts';
import { PlatformFailure } from './contract.ts';
import { cutText, shortened, visibleText } from './untrusted.ts';

/**
 * Thrown by the injected fetch when no byte of the request can have reached the other side: unknown
 * host, refused address, refused connection, failed TLS, connect time-out.
 */
export class NotSentError extends Error {
  override name = 'NotSentError';
}

/** A platform's answer with its body read and, where it is JSON, parsed. */
export interface PlatformAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** When it came, by the house's clock. */
  readonly receivedAt: Date;
  /** Parsed JSON, or the text as it came when it is not JSON. */
  readonly body: unknown;
}

/** Longest words of a platform that an adapter puts into a message, before the gate hides secrets in it and shortens it. */
const WORDS_MAX = 1_000;

/** A platform's own words on one visible line. */
export function platformWords(text: string): string {
  return shortened(visibleText(cutText(text, WORDS_MAX * 4)), WORDS_MAX);
}

/** Reads a field that ought to be a string off a body of unknown shape; undefined when it is not. */
export function stringField(body: unknown, field: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value = (body as Record<string, unknown>)[field];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Calls a platform and reads its whole answer, whatever its status.
 *
 * @throws PlatformFailure `unavailable` when nothing can have been sent, `unknown` when the request
 *   may have arrived but the answer was lost, cut short or timed out.
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

/** Whether an answer is a page for people: some proxy on the way spoke, not the platform's API. */
export function isWebPage(answer: PlatformAnswer): boolean {
  return typeof answer.body === 'string' && answer.body.trimStart().startsWith('<');
}

/** Runs calls that publish nothing: what would be `unknown` of a publishing call is `unavailable`. */
export async function withoutPublishing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PlatformFailure) || error.kind !== 'unknown') throw error;
    throw new PlatformFailure('unavailable', error.message, { cause: error, retryAfterMs: error.retryAfterMs });
  }
}

/** Seconds that a platform is left alone which says 429 and not for how long. */
const BACKOFF_SECONDS = 60;

/** Headers in which platforms say when there is room again. */
const RESETS = ['x-rate-limit-reset', 'x-ratelimit-reset', 'ratelimit-reset'];

/** Numbers from here on are instants in seconds since 1970; smaller ones are seconds from now. */
const INSTANTS_FROM = 1_000_000_000;

/** Seconds that an answer asks to wait, from Retry-After, else of a 429 from its own limit; undefined when it does not say. */
function askedWaitSeconds({ status, headers, receivedAt }: PlatformAnswer): number | undefined {
  const value = headers.get('retry-after');
  if (value !== null && /^\d+$/.test(value)) return Number(value);
  if (status !== 429) return undefined;
  const reset = RESETS.map((name) => headers.get(name)).find((found) => found !== null);
  return reset === undefined || reset === null ? undefined : secondsUntil(reset, receivedAt);
}

/** Reads seconds, an instant in seconds since 1970, or an ISO instant; undefined for what is over or none of these. */
function secondsUntil(reset: string, now: Date): number | undefined {
  const isNumber = /^\d+(\.\d+)?$/.test(reset);
  if (isNumber && Number(reset) < INSTANTS_FROM) return Math.ceil(Number(reset));
  const instant = isNumber ? Number(reset) * 1000 : Date.parse(reset);
  const seconds = Math.ceil((instant - now.getTime()) / 1000);
  return seconds > 0 ? seconds : undefined;
}

/** How long a platform wants to be left alone; undefined when it is merely out of order. */
function askedToWaitMs(status: number, waitSeconds: number | undefined): number | undefined {
  const seconds = waitSeconds ?? (status === 429 ? BACKOFF_SECONDS : undefined);
  return seconds === undefined ? undefined : seconds * 1000;
}

/**
 * The failure for an answer that says "not now": 429, or 5xx on a call that publishes nothing.
 *
 * @param wait seconds that the platform asks to wait, where it says so in its own way
 */
export function unavailable(
  platformName: string,
  answer: PlatformAnswer,
  wait = askedWaitSeconds(answer),
): PlatformFailure {
  return new PlatformFailure(
    'unavailable',
    `${platformName} answered HTTP ${answer.status}${wait === undefined ? '' : `, asking to wait ${wait} s`}; nothing was posted.`,
    { retryAfterMs: askedToWaitMs(answer.status, wait) },
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
