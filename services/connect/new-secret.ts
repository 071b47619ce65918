/** Creates secrets of connect sessions: the token of a link, and the secret that a browser presents. */
import type { Context } from '../context.ts';

/** 32 random bytes, as base64url: 43 characters. */
export function newSecret(context: Context): string {
  return Buffer.from(context.random.bytes(32)).toString('base64url');
}
