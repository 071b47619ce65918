/** Makes record keys (TIDs) in the form that Bluesky requires for posts. Pure. */
import { createHash } from 'node:crypto';

/** Digits in sort order, five bits each. */
const DIGITS = '234567abcdefghijklmnopqrstuvwxyz';

/**
 * Makes the record key for `seed`. It holds the instant in microseconds, with the last three digits from the
 * seed, then ten bits from the seed instead of a clock id. Keys of later milliseconds sort after earlier ones.
 * The same arguments always give the same key.
 *
 * @see https://atproto.com/specs/tid
 */
export function makeTid(at: Date, seed: string): string {
  const digest = createHash('sha256').update(seed).digest();
  const microseconds = BigInt(at.getTime()) * 1000n + BigInt(digest.readUInt32BE(0) % 1000);
  const value = (microseconds << 10n) | BigInt(digest.readUInt16BE(4) & 0x3ff);
  let tid = '';
  for (let shift = 60n; shift >= 0n; shift -= 5n) tid += DIGITS[Number((value >> shift) & 31n)];
  return tid;
}
