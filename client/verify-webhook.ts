/** Tells deliveries of Carillon from anybody else's requests, in Node, Deno, Bun, browsers and edge runtimes alike. */

/** Headers as any framework hands them over: the Headers of the web, or an object with names in small letters. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How old, or how far ahead of your clock, a signature may be. Default 300 seconds. */
  readonly toleranceSeconds?: number;
  /** The present instant. Default: the clock of the machine. */
  readonly now?: Date;
}

/** What a delivery carries; the rest depends on the event. */
export interface WebhookEvent {
  /** The same through attempts and replays: whoever has seen it before can leave it. */
  readonly eventId: string;
  /** Such as `post.sent`. */
  readonly event: string;
  /** When it happened: an ISO 8601 instant. */
  readonly timestamp: string;
  /** True on the made-up delivery of a test. */
  readonly test?: true;
  /** `post`, `metrics` or `connection`, as the event has them. */
  readonly [payload: string]: unknown;
}

/** A request that is not a delivery of the webhook with this secret, or not one of the last minutes. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
}

const SIGNATURE = /^t=(\d{1,15}),v1=([0-9a-f]{64})$/;
const TOLERANCE_SECONDS = 300;

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Checks the signature of a delivery, in constant time, and gives its event. For a day after a rotation a delivery is
 * signed with both secrets, and passes with either.
 *
 * @param rawBody the body as it came, before anything has parsed it
 * @param secret the secret that the registration of the webhook showed, `whsec_…`; or several, of which one must fit
 * @throws WebhookVerificationError when it is not one: answer 400, and look at the message
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() } = options;
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody;
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const t = await signedAt(body, signaturesOf(headers), secrets);
  if (t === null) {
    throw new WebhookVerificationError(
      'The signature does not match: another secret, or a body that was parsed or changed on the way.',
    );
  }
  const awaySeconds = Math.abs(now.getTime() / 1000 - t);
  if (awaySeconds > toleranceSeconds) {
    throw new WebhookVerificationError(
      `The signature is ${Math.round(awaySeconds)} s away from this clock, and may be ${toleranceSeconds} s away.`,
    );
  }
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
}

interface Signature {
  /** Seconds, as the header has them. */
  readonly t: string;
  readonly v1: string;
}

/** The signature, and the one with the other secret that deliveries carry for a day after a rotation. */
function signaturesOf(headers: WebhookHeaders): Signature[] {
  const header = headerOf(headers, 'x-service-signature');
  if (header === null) throw new WebhookVerificationError('The request has no header x-service-signature.');
  const first = readSignature(header);
  if (first === null)
    throw new WebhookVerificationError('x-service-signature is not of the form t=<seconds>,v1=<hex>.');
  const alternate = readSignature(headerOf(headers, 'x-service-signature-alternate') ?? '');
  return alternate === null ? [first] : [first, alternate];
}

function readSignature(header: string): Signature | null {
  const [, t, v1] = SIGNATURE.exec(header) ?? [];
  return t === undefined || v1 === undefined ? null : { t, v1 };
}

/** When the body was signed with one of the secrets, in seconds; null when it was with none. */
async function signedAt(
  body: Uint8Array,
  signatures: readonly Signature[],
  secrets: readonly string[],
): Promise<number | null> {
  for (const { t, v1 } of signatures) {
    const signed = concat(new TextEncoder().encode(`${t}.`), body);
    for (const secret of secrets) if (await isSigned(secret, signed, bytesOf(v1))) return Number(t);
  }
  return null;
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers['get'] === 'function') return headers.get(name);
  const value = (headers as Readonly<Record<string, string | readonly string[] | undefined>>)[name];
  return typeof value === 'string' ? value : null;
}

// The runtime compares: its verification takes the same time wherever two signatures differ.
async function isSigned(secret: string, signed: Bytes, signature: Bytes): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify']);
  return subtle.verify('HMAC', key, signature, signed);
}

function concat(one: Uint8Array, other: Uint8Array): Bytes {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

function bytesOf(hex: string): Bytes {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
