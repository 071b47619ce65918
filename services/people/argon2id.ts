/**
 * Hashes passwords with argon2id, as PHC strings that contain their parameters, so that the parameters can be raised
 * (RFC 9106).
 */
import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** Cost parameters of a hash. */
export interface Argon2Cost {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** The minimum of OWASP's Password Storage Cheat Sheet: https://cheatsheetseries.owasp.org/. */
export const ARGON2_COST: Argon2Cost = { memory: 19_456, passes: 2, parallelism: 1 };

/** Bytes. */
const SALT_LENGTH = 16;
const TAG_LENGTH = 32;

/** The version of argon2 in Node.js, 1.3. */
const VERSION = 19;

const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const derive = promisify(argon2);

export async function hashPassword(
  password: string,
  bytes: (length: number) => Buffer,
  cost = ARGON2_COST,
): Promise<string> {
  const salt = bytes(SALT_LENGTH);
  const tag = await tagOf(password, salt, cost, TAG_LENGTH);
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=${VERSION}$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

/** Whether a password matches this hash; compares in constant time. */
export async function isPasswordOf(password: string, hash: string): Promise<boolean> {
  const { cost, salt, tag } = parse(hash);
  return timingSafeEqual(await tagOf(password, salt, cost, tag.length), tag);
}

/** Whether a hash was made with other cost parameters than the current ones. */
export function isOutdated(hash: string): boolean {
  const { cost } = parse(hash);
  return (['memory', 'passes', 'parallelism'] as const).some((part) => cost[part] !== ARGON2_COST[part]);
}

function parse(hash: string): { cost: Argon2Cost; salt: Buffer; tag: Buffer } {
  const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(hash) ?? [];
  if (memory === undefined) throw new Error('the stored hash of a password is not one of argon2id');
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

/** Keyboards encode composed characters differently; NFKC normalizes them (NIST SP 800-63B, 5.1.1.2). */
function tagOf(password: string, salt: Buffer, cost: Argon2Cost, tagLength: number): Promise<Buffer> {
  return derive('argon2id', { ...cost, message: password.normalize('NFKC'), nonce: salt, tagLength });
}

/** Base64 as in PHC strings: without padding. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
