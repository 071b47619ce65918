/** Calls Discord's API and maps its error responses to failures. */
import { z } from 'zod';
import { type FailureKind, type FetchInit, PlatformFailure, type PlatformIo } from '../contract.ts';
import { errorResponses } from '../error-responses.ts';
import type { DiscordApp } from './settings.ts';
import { callPlatform, type PlatformAnswer, platformWords } from '../http.ts';

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
const CODES: ReadonlyMap<number, FailureKind> = new Map([
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

export const { failure, requireDeleted } = errorResponses<PlatformAnswer>({
  name: 'Discord',
  codes: CODES,
  codeOf: ({ body }) => errorOf(body).code,
  statuses: new Map([[401, 'reconnect']]),
  // The proxy in front of Discord refuses bodies that are too large.
  kindOf: ({ status }) => (status === 413 ? 'rejected' : undefined),
  isOwn: ({ body }) => errorOf(body).code !== undefined || errorOf(body).message !== undefined,
  isTokenDead: ({ body }) => DEAD_TOKENS.has(errorOf(body).code ?? 0),
  reason: ({ status, body }) => {
    const { errors, message } = errorOf(body);
    return platformWords(firstReason(errors) ?? message ?? `HTTP ${status}`);
  },
  wait: ({ body }) => {
    const seconds = errorOf(body).retry_after;
    return seconds === undefined ? undefined : Math.ceil(seconds);
  },
});

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
