/** Random secrets and their stored hashes. Secrets are long, so a plain SHA-256 cannot be brute-forced. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Hex SHA-256: the stored form of a secret. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether a secret has this hash, compared in constant time. */
export function hasHash(secret: string, hash: string): boolean {
  const [one, other] = [Buffer.from(hashSecret(secret)), Buffer.from(hash)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Whether two secrets are the same, compared in constant time. */
export function sameSecret(one: string, other: string): boolean {
  return hasHash(one, hashSecret(other));
}
