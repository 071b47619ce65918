/** Verifies that a request is a delivery of Carillon, in Node, Deno, Bun, browsers and edge runtimes. */
import type { WebhookEvent } from './webhook-event.ts';

/** Headers as any framework provides them: the web's Headers, or an object with lowercase names. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How old, or how far ahead of your clock, a signature may be. Default 300 seconds. */
  readonly toleranceSeconds?: number;
  /** The present instant. Default: the clock of the machine. */
  readonly now?: Date;
}

/** The request is not a delivery of the webhook with this secret, or its signature is too old or too far ahead. */
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
 * @param rawBody the body as it was received, before any parsing
 * @param secret the secret shown when the webhook was registered, `whsec_…`; or several, of which one must match
 * @throws WebhookVerificationError when the request is not a valid delivery: answer 400, and look at the message
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
      'The signature does not match: the secret is wrong, or the body was parsed or changed.',
    );
  }
  const awaySeconds = Math.abs(now.getTime() / 1000 - t);
  if (awaySeconds > toleranceSeconds) {
    throw new WebhookVerificationError(
      `The signature is ${Math.round(awaySeconds)} s away from this clock; the tolerance is ${toleranceSeconds} s.`,
    );
  }
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
}

interface Signature {
  /** Seconds, as in the header. */
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

/** When the body was signed with one of the secrets, in seconds; null when it was signed with none of them. */
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

// The runtime compares the signatures in constant time.
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
