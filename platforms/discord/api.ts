/** Calls to Discord's API, and what its refusals mean. */
import { z } from 'zod';
import { type DiscordApp, type FailureKind, type FetchInit, PlatformFailure, type PlatformIo } from '../contract.ts';
import { callPlatform, type PlatformAnswer, platformWords, unavailable } from '../http.ts';
import { refusedDeleteKind } from '../refused-delete.ts';

/** Version of the API that is spoken. */
export const API_VERSION = 'v10';

export interface DiscordCall {
  /** GET when left out. */
  readonly method?: 'POST' | 'DELETE';
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Sent as multipart/form-data. */
  readonly form?: FormData;
  /** Calls as this bot; webhooks carry their token in the path. */
  readonly botToken?: string;
}

/** How Discord says that it did not do something. */
const DiscordError = z.object({
  code: z.number().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  /** What is wrong with each field, as deep as the fields are. */
  errors: z.unknown().optional(),
  /** Seconds, of a 429. */
  retry_after: z.number().positive().optional().catch(undefined),
});
type DiscordError = z.infer<typeof DiscordError>;

/** What an error means, by its code. */
const BY_CODE: ReadonlyMap<number, FailureKind> = new Map([
  // The webhook, the channel or the server is gone, or the bot was put out.
  [10_003, 'reconnect'],
  [10_004, 'reconnect'],
  [10_015, 'reconnect'],
  [50_001, 'reconnect'],
  [50_013, 'reconnect'],
  // The token is dead.
  [40_001, 'reconnect'],
  [50_014, 'reconnect'],
  [50_027, 'reconnect'],
  // Too many messages: of the account, the channel, the server.
  [20_016, 'unavailable'],
  [20_028, 'unavailable'],
  [20_029, 'unavailable'],
  [40_062, 'unavailable'],
  // The guard before Discord's own servers, and those when they are overloaded.
  [40_333, 'unavailable'],
  [130_000, 'unavailable'],
]);

/** What an answer means that has no such code, by its status. */
const BY_STATUS: ReadonlyMap<number, FailureKind> = new Map([
  [401, 'reconnect'],
  [429, 'unavailable'],
]);

/** Errors of a token: of a webhook that was deleted, of a webhook's or a bot's token. */
const DEAD_TOKENS: ReadonlySet<number> = new Set([10_015, 40_001, 50_014, 50_027]);

const UNKNOWN_MESSAGE = 10_008;

/** Calls `path` under the version's root; ids in it must be encoded. It may hold a token: nothing may show it. */
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

/** What else calls Discord than a program that names itself in this form may be turned away. */
export function asDiscordBot<Io extends PlatformIo>(io: Io): Io {
  const name = `DiscordBot (${io.endpoints.PUBLIC_URL}, 2.0)`;
  const fetch = (url: string | URL, init: FetchInit = {}) =>
    io.fetch(url, { ...init, headers: { ...init.headers, 'user-agent': name } });
  return { ...io, fetch };
}

/** @throws PlatformFailure when the operator has taken the app away */
export function appOf({ apps }: PlatformIo): DiscordApp {
  if (apps.discord !== null) return apps.discord;
  throw new PlatformFailure('unavailable', 'Discord is not set up on this install any more.');
}

/** Whether an answer says that there is no such message, or none any more. */
export function isGone({ status, body }: PlatformAnswer): boolean {
  return status === 404 && errorOf(body).code === UNKNOWN_MESSAGE;
}

/** The failure that an answer other than 2xx stands for, to a call that publishes. */
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

/** The failure that the answer to a delete stands for (docs/contract/posts.md#refused-deletes). */
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

/** The first sentence in a tree of errors: `{ content: { _errors: [{ message }] } }`. */
function firstReason(errors: unknown): string | undefined {
  if (typeof errors !== 'object' || errors === null) return undefined;
  for (const [field, below] of Object.entries(errors)) {
    const here = field === '_errors' && Array.isArray(below) ? (below[0] as { message?: unknown })?.message : undefined;
    const found = typeof here === 'string' ? here : firstReason(below);
    if (found !== undefined) return found;
  }
  return undefined;
}
