/** Random secrets and their stored hashes. Secrets are long, so a plain SHA-256 cannot be brute-forced. */
import { hash, timingSafeEqual } from 'node:crypto';

/** Hex SHA-256: the stored form of a secret. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Whether a secret has this hash, compared in constant time. */
export function hasHash(secret: string, stored: string): boolean {
  const [one, other] = [Buffer.from(hashSecret(secret)), Buffer.from(stored)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Whether two secrets are the same, compared in constant time. */
export function sameSecret(one: string, other: string): boolean {
  return hasHash(one, hashSecret(other));
}
