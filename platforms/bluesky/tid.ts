/** Record keys in the form that Bluesky prescribes for posts. Pure. */
import { createHash } from 'node:crypto';

/** Digits in their order of sorting, five bits each. */
const DIGITS = '234567abcdefghijklmnopqrstuvwxyz';

/**
 * The key of the record that `seed` stands for: the instant in microseconds, of which the last three
 * digits come from the seed, then ten bits from the seed in place of a clock's id. Keys of later
 * milliseconds sort after keys of earlier ones. Always the same for the same arguments.
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
