/** Keys for sender-constrained tokens (DPoP, RFC 9449): each request with such a token proves possession of the key. */
import * as oauth from 'oauth4webapi';
import type { Fetch, PlatformIo } from '../contract.ts';
import { requestOptions } from '../oauth.ts';
import { withNonce } from '../token-endpoint.ts';

/** A private key as it is stored: a JSON Web Key on P-256. */
export interface PrivateKey {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** Number of keys whose server nonces are cached. A server requires its nonce in every proof. */
const REMEMBERED_MAX = 1_000;
const remembered = new Map<string, Promise<oauth.DPoPHandle>>();

export async function makeKey(): Promise<PrivateKey> {
  const { privateKey } = await oauth.generateKeyPair('ES256', { extractable: true });
  const { kty = '', crv = '', x = '', y = '', d = '' } = await crypto.subtle.exportKey('jwk', privateKey);
  return { kty, crv, x, y, d };
}

/** The public part of a key. */
export function publicPart({ kty, crv, x, y }: PrivateKey) {
  return { kty, crv, x, y };
}

export function signingKey(key: PrivateKey): Promise<CryptoKey> {
  return crypto.subtle.importKey('jwk', { ...key }, ALGORITHM, false, ['sign']);
}

/** Makes DPoP proofs with a key. */
export function proofsBy(key: PrivateKey): Promise<oauth.DPoPHandle> {
  const known = remembered.get(key.x);
  if (known !== undefined) return known;
  const [oldest] = remembered.keys();
  if (remembered.size >= REMEMBERED_MAX && oldest !== undefined) remembered.delete(oldest);
  const made = importProofs(key);
  remembered.set(key.x, made);
  return made;
}

async function importProofs(key: PrivateKey): Promise<oauth.DPoPHandle> {
  const publicKey = crypto.subtle.importKey('jwk', publicPart(key), ALGORITHM, true, ['verify']);
  return oauth.DPoP({}, { privateKey: await signingKey(key), publicKey: await publicKey });
}

/** A fetch that sends an access token and proves possession of its key with each request. */
export function boundFetch(io: PlatformIo, accessToken: string, key: PrivateKey): Fetch {
  return async (url, { method = 'GET', headers = {}, body, signal = io.signal } = {}) => {
    const options = { ...requestOptions(io), DPoP: await proofsBy(key), signal };
    const content = body as Exclude<oauth.ProtectedResourceRequestBody, undefined> | undefined;
    try {
      return await withNonce(() =>
        oauth.protectedResourceRequest(accessToken, method, new URL(url), new Headers(headers), content, options),
      );
    } catch (error) {
      // An authentication challenge is returned like any other response.
      if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response;
      throw error;
    }
  };
}
