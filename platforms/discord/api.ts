/** Calls Discord's API and maps its error responses to failures. */
import { z } from 'zod';
import { type DiscordApp, type FailureKind, type FetchInit, PlatformFailure, type PlatformIo } from '../contract.ts';
import { callPlatform, type PlatformAnswer, platformWords, unavailable } from '../http.ts';
import { refusedDeleteKind } from '../refused-delete.ts';

/** API version. */
export const API_VERSION = 'v10';

export interface DiscordCall {
  /** Defaults to GET. */
  readonly method?: 'POST' | 'DELETE';
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Sent as multipart/form-data. */
  readonly form?: FormData;
  /** Calls as this bot; webhook paths contain their own token. */
  readonly botToken?: string;
}

/** An error response of Discord. */
const DiscordError = z.object({
  code: z.number().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  /** Errors of each field, nested like the fields. */
  errors: z.unknown().optional(),
  /** In seconds; on a 429. */
  retry_after: z.number().positive().optional().catch(undefined),
});
type DiscordError = z.infer<typeof DiscordError>;

/** Failure kinds by error code. */
const BY_CODE: ReadonlyMap<number, FailureKind> = new Map([
  // The webhook, channel or server no longer exists, or the bot was removed.
  [10_003, 'reconnect'],
  [10_004, 'reconnect'],
  [10_015, 'reconnect'],
  [50_001, 'reconnect'],
  [50_013, 'reconnect'],
  // The token is invalid.
  [40_001, 'reconnect'],
  [50_014, 'reconnect'],
  [50_027, 'reconnect'],
  // Too many messages for the account, the channel or the server.
  [20_016, 'unavailable'],
  [20_028, 'unavailable'],
  [20_029, 'unavailable'],
  [40_062, 'unavailable'],
  // Answers of the proxy in front of Discord's servers, or of servers that are overloaded.
  [40_333, 'unavailable'],
  [130_000, 'unavailable'],
]);

/** Failure kinds by status, for a response without such a code. */
const BY_STATUS: ReadonlyMap<number, FailureKind> = new Map([
  [401, 'reconnect'],
  [429, 'unavailable'],
]);

/** Token errors: the webhook was deleted, or the token of a webhook or bot is invalid. */
const DEAD_TOKENS: ReadonlySet<number> = new Set([10_015, 40_001, 50_014, 50_027]);

const UNKNOWN_MESSAGE = 10_008;

/**
 * Calls `path` under the versioned API root; ids in it must be URL-encoded. `path` may hold a token: never show or
 * log it.
 */
export function callDiscord(io: PlatformIo, path: string, call: DiscordCall = {}): Promise<PlatformAnswer> {
  const url = new URL(`${io.endpoints.DISCORD_API_URL}/api/${API_VERSION}${path}`);
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (call.botToken !== undefined) headers['authorization'] = `Bot ${call.botToken}`;
  if (call.json !== undefined) headers['content-type'] = 'application/json';
  const json = call.json === undefined ? {} : { body: JSON.stringify(call.json) };
  const body = call.form === undefined ? json : { body: call.form };
  return callPlatform(asDiscordBot(io), url, { method: call.method ?? 'GET', headers, ...body });
}

/** User agent in the form that Discord requires; it may refuse other clients. */
export function asDiscordBot<Io extends PlatformIo>(io: Io): Io {
  const name = `DiscordBot (${io.endpoints.PUBLIC_URL}, 2.0)`;
  const fetch = (url: string | URL, init: FetchInit = {}) =>
    io.fetch(url, { ...init, headers: { ...init.headers, 'user-agent': name } });
  return { ...io, fetch };
}

/** @throws PlatformFailure when the operator has removed the app */
export function appOf({ apps }: PlatformIo): DiscordApp {
  if (apps.discord !== null) return apps.discord;
  throw new PlatformFailure('unavailable', 'Discord is not set up on this install any more.');
}

/** Whether a response says that the message does not exist or was deleted. */
export function isGone({ status, body }: PlatformAnswer): boolean {
  return status === 404 && errorOf(body).code === UNKNOWN_MESSAGE;
}

/** Returns the failure for a response other than 2xx to a publishing call. */
export function failure(answer: PlatformAnswer, kind: FailureKind = kindOf(answer)): PlatformFailure {
  const { status } = answer;
  const error = errorOf(answer.body);
  const wait = error.retry_after === undefined ? undefined : Math.ceil(error.retry_after);
  if (kind === 'unavailable') return unavailable('Discord', answer, wait);
  if (kind === 'unknown') return new PlatformFailure(kind, `Discord answered HTTP ${status}.`);
  const verb = kind === 'reconnect' ? 'does not take this login' : 'refused';
  const words = platformWords(firstReason(error.errors) ?? error.message ?? `HTTP ${status}`);
  return new PlatformFailure(kind, `Discord ${verb}: ${words}`);
}

/** Returns the failure for the response to a delete (docs/contract/posts.md#refused-deletes). */
export function deleteFailure(answer: PlatformAnswer): PlatformFailure {
  const isTokenDead = DEAD_TOKENS.has(errorOf(answer.body).code ?? 0);
  return failure(answer, refusedDeleteKind(answer, kindOf(answer), isTokenDead));
}

function kindOf({ status, body }: PlatformAnswer): FailureKind {
  return failureKind(status, errorOf(body));
}

function failureKind(status: number, { code, message }: DiscordError): FailureKind {
  if (status === 429) return 'unavailable';
  const isRefusal = status >= 400 && status < 500 && (code !== undefined || message !== undefined);
  if (!isRefusal) return status === 413 ? 'rejected' : 'unknown';
  return BY_CODE.get(code ?? 0) ?? BY_STATUS.get(status) ?? 'rejected';
}

function errorOf(body: unknown): DiscordError {
  return DiscordError.safeParse(body).data ?? {};
}

/** Returns the first message in a tree of errors: `{ content: { _errors: [{ message }] } }`. */
function firstReason(errors: unknown): string | undefined {
  if (typeof errors !== 'object' || errors === null) return undefined;
  for (const [field, below] of Object.entries(errors)) {
    const here = field === '_errors' && Array.isArray(below) ? (below[0] as { message?: unknown })?.message : undefined;
    const found = typeof here === 'string' ? here : firstReason(below);
    if (found !== undefined) return found;
  }
  return undefined;
}
