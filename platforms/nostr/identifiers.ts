/** The forms in which people exchange keys and events: bech32 with a prefix that says what it is (NIP-19). */
import { bech32 } from '@scure/base';

/** More than any identifier has. */
const LENGTH_MAX = 1_000;

/** Types of the parts of an `nevent`. */
const ID = 0;
const AUTHOR = 2;

const KEY = /^[0-9a-f]{64}$/i;

/** The secret key as hexadecimal digits, from an `nsec1…` or from digits; undefined when it is neither. */
export function readSecretKey(text: string): string | undefined {
  const typed = text.trim();
  if (KEY.test(typed)) return typed.toLowerCase();
  const { prefix, bytes } =
    bech32.decodeUnsafe(typed as `${string}1${string}`, LENGTH_MAX) === undefined ? {} : bech32.decodeToBytes(typed);
  return prefix === 'nsec' && bytes?.length === 32 ? Buffer.from(bytes).toString('hex') : undefined;
}

/** The public key as an `npub1…`. */
export function npubOf(publicKey: string): string {
  return bech32.encodeFromBytes('npub', Buffer.from(publicKey, 'hex'));
}

/** The event as an `nevent1…`. */
export function neventOf(eventId: string, author: string): string {
  const part = (type: number, hex: string) => [type, hex.length / 2, ...Buffer.from(hex, 'hex')];
  const words = bech32.toWords(Uint8Array.from([...part(ID, eventId), ...part(AUTHOR, author)]));
  return bech32.encode('nevent', words, LENGTH_MAX);
}
