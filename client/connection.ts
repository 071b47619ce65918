/** How the client reaches an install: address, key, and requests whose whole answer arrives or that fail in one way. */
import type { ErrorBody } from './api-types.ts';
import { CarillonError, NoAnswerError } from './errors.ts';
import { type Runtime, withDefaults } from './runtime.ts';

interface Install extends Runtime {
  /** Origin of the install, e.g. `https://bells.example`. */
  readonly url: string;
}

/** An install, and a key for it. */
export interface KeyConnectionOptions extends Install {
  /** A key of the account; sent as x-api-key. */
  readonly apiKey: string;
}

/** An install, and an access token of an OAuth grant for its API. */
export interface TokenConnectionOptions extends Install {
  /** The token, or what gives the present one: it is asked before each request. */
  readonly accessToken: string | (() => string | Promise<string>);
}

export type ConnectionOptions = KeyConnectionOptions | TokenConnectionOptions;

/** A connection whose defaults are filled in. */
export interface Connection extends Required<Runtime> {
  readonly url: string;
  /** The header of each request that says who asks. */
  credential(): Promise<Record<string, string>>;
}

/** What tells the present time. */
export interface WithNow {
  readonly clock: Pick<Connection['clock'], 'now'>;
}

const connections = new WeakMap<object, Connection>();

export function connect(options: ConnectionOptions): Connection {
  return { url: options.url, credential: credentialOf(options), ...withDefaults(options) };
}

function credentialOf(options: ConnectionOptions): Connection['credential'] {
  if ('apiKey' in options) return async () => ({ 'x-api-key': options.apiKey });
  const { accessToken } = options;
  const token = async () => (typeof accessToken === 'string' ? accessToken : await accessToken());
  return async () => ({ authorization: `Bearer ${await token()}` });
}

/** Remembers the connection of a client, for the helpers that take one. */
export function rememberConnection(client: object, connection: Connection): void {
  connections.set(client, connection);
}

/** The connection of a client; undefined for anything else. A client answers any property, so ask this first. */
export function knownConnection(target: object): Connection | undefined {
  return connections.get(target);
}

/** The connection of a client, or that of the options. */
export function connectionOf(target: object): Connection {
  const known = knownConnection(target);
  if (known !== undefined) return known;
  const { url, apiKey, accessToken } = target as Partial<KeyConnectionOptions & TokenConnectionOptions>;
  const isGiven = typeof apiKey === 'string' || ['string', 'function'].includes(typeof accessToken);
  if (typeof url === 'string' && isGiven) return connect(target as ConnectionOptions);
  throw new TypeError('Expected a client that createClient made, or an object with url and apiKey or accessToken.');
}

/**
 * Sends a request.
 *
 * @throws NoAnswerError when no answer arrives, and the reason of the signal when that aborts
 */
export async function send(connection: Pick<Connection, 'fetch'>, url: string, init: RequestInit): Promise<Response> {
  return answered(url, init.signal, () => connection.fetch(url, init));
}

/** Runs a part of a request, with one kind of error for everything that keeps an answer from arriving. */
export async function answered<T>(url: string, signal: unknown, part: () => Promise<T>): Promise<T> {
  try {
    return await part();
  } catch (cause) {
    if ((signal as AbortSignal | null | undefined)?.aborted === true) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new NoAnswerError(`No answer from ${new URL(url).origin}: ${message}`, { cause });
  }
}

/** The error that an answer without success reports. Reads its body. */
export async function errorOfAnswer(connection: Pick<Connection, 'clock'>, response: Response): Promise<CarillonError> {
  return errorOfText(connection, response, await response.text().catch(() => ''));
}

/** The same for an answer whose body was read. */
export function errorOfText(connection: Pick<Connection, 'clock'>, response: Response, text: string): CarillonError {
  const { status } = response;
  const body = bodyIn(text);
  const origin = response.url === '' ? 'The server' : new URL(response.url).origin;
  const message = body === undefined ? `${origin} answered HTTP ${status}; is it Carillon?` : sentenceOf(body);
  return new CarillonError(message, { status, body, retryAfterMs: retryAfterMs(connection, response.headers) });
}

function bodyIn(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null;
    return typeof body?.error === 'string' ? (body as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}

function sentenceOf({ error, message, hint }: ErrorBody): string {
  return message === undefined ? error : [message, hint].filter((part) => part !== undefined).join(' ');
}

/**
 * How long an answer asks to wait, in milliseconds: Retry-After in seconds or as a date, else the reset of the rate limit.
 * Undefined when it does not say.
 */
export function retryAfterMs({ clock }: WithNow, headers: Headers): number | undefined {
  const after = headers.get('retry-after');
  const reset = headers.get('x-ratelimit-reset');
  const isSpent = headers.get('x-ratelimit-remaining') === '0';
  if (after !== null) {
    const ms = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - clock.now();
    return Number.isNaN(ms) ? undefined : Math.max(0, ms);
  }
  return reset !== null && isSpent ? Math.max(0, Number(reset) * 1000 - clock.now()) : undefined;
}
