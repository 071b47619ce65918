/** Secrets of connect sessions: random, long, and known to us by their hash only. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from '../context.ts';

/** 32 random bytes, as base64url: 43 characters. */
export function newSecret(context: Context): string {
  return Buffer.from(context.random.bytes(32)).toString('base64url');
}

/** Hex SHA-256. The secrets are random and long, so it cannot be searched through. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether a secret has this hash, in a time that tells nothing about either. */
export function hasHash(secret: string, hash: string): boolean {
  const [one, other] = [Buffer.from(hashOf(secret)), Buffer.from(hash)];
  return one.length === other.length && timingSafeEqual(one, other);
}
