/** Random secrets and what is stored of them. They are long, so a plain SHA-256 cannot be searched through. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Hex SHA-256: what is stored of a secret. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether a secret has this hash, in a time that tells nothing about either. */
export function hasHash(secret: string, hash: string): boolean {
  const [one, other] = [Buffer.from(hashSecret(secret)), Buffer.from(hash)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Whether two secrets are the same, in a time that tells nothing about either. */
export function sameSecret(one: string, other: string): boolean {
  return hasHash(one, hashSecret(other));
}
