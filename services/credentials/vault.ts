/**
 * Encrypts stored credentials and other secrets with AES-256-GCM. The first key encrypts and every key decrypts, so
 * keys can be rotated without downtime.
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { Vault } from '../ports/vault.ts';

/** Format of a sealed text: `v1.<key mark>.<nonce>.<tag>.<ciphertext>`, base64url. */
const FORMAT = 'v1';
const NONCE_BYTES = 12;

/** First characters of a hash of the key: identifies the key that sealed a text without revealing it. */
export function keyMark(key: Buffer): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 8);
}

/**
 * @param keys 32 bytes each; the first one encrypts
 * @param bytes source of nonces
 */
export function createVault(keys: readonly Buffer[], bytes: (length: number) => Buffer): Vault {
  const byMark = new Map(keys.map((key) => [keyMark(key), key]));
  const [first] = keys;
  if (first === undefined) throw new Error('a vault needs at least one key');
  const firstMark = keyMark(first);
  return {
    keyMarks: [...byMark.keys()],
    seal(value, rowId) {
      const nonce = bytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', first, nonce).setAAD(Buffer.from(rowId));
      const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
      return [FORMAT, firstMark, ...[nonce, cipher.getAuthTag(), text].map((part) => part.toString('base64url'))].join(
        '.',
      );
    },
    open(sealed, rowId) {
      const [format, mark = '', ...parts] = sealed.split('.');
      const key = byMark.get(mark);
      if (format !== FORMAT || key === undefined) throw new Error(`no key with mark ${mark} is in ENCRYPTION_KEYS`);
      const [nonce, tag, text] = parts.map((part) => Buffer.from(part, 'base64url'));
      if (nonce === undefined || tag === undefined || text === undefined)
        throw new Error('the sealed text is cut short');
      const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(rowId)).setAuthTag(tag);
      return JSON.parse(Buffer.concat([decipher.update(text), decipher.final()]).toString());
    },
  };
}
