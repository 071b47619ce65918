/**
 * What servers of the AT Protocol know this install by: the address of a document that it serves, and a key that the
 * document names. An install on the developer's own machine has no address that servers could read, and needs none.
 */
import { type ClientAuth, None, PrivateKeyJwt } from 'oauth4webapi';
import type { JsonObject, PlatformEndpoints } from '../contract.ts';
import type { OauthIo } from '../hosted.ts';
import { makeKey, type PrivateKey, publicPart, signingKey } from './dpop.ts';

/** All that is asked for: to know whose account it is, and to post. */
export const SCOPE = 'atproto transition:generic';

/** Where the document is, behind PUBLIC_URL. */
const DOCUMENT_PATH = '/connect/client/bluesky';

/** Name of the one key. */
const KEY_ID = 'carillon-1';

export interface BlueskyClient {
  readonly clientId: string;
  /** Where the customer comes back to. */
  readonly redirectUri: string;
  /** What the install proves with that it is itself; null on the developer's own machine. */
  readonly key: PrivateKey | null;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Whether servers can know an install by its address. */
export function canBeKnown({ PUBLIC_URL }: Pick<PlatformEndpoints, 'PUBLIC_URL'>): boolean {
  const { protocol, hostname } = new URL(PUBLIC_URL);
  return protocol === 'https:' || LOOPBACK.includes(hostname);
}

/** @see https://atproto.com/specs/oauth#clients */
export async function clientOf(io: OauthIo, redirectUri: string): Promise<BlueskyClient> {
  const { PUBLIC_URL } = io.endpoints;
  if (new URL(PUBLIC_URL).protocol === 'https:') {
    return { clientId: PUBLIC_URL + DOCUMENT_PATH, redirectUri, key: await keptKey(io) };
  }
  const back = new URL(redirectUri);
  // Servers take the address of the machine itself, and not its name.
  if (back.hostname === 'localhost') back.hostname = '127.0.0.1';
  const query = new URLSearchParams({ redirect_uri: back.href, scope: SCOPE });
  return { clientId: `http://localhost?${query.toString()}`, redirectUri: back.href, key: null };
}

/** How the install proves that it is itself. */
export async function proofOf({ key }: Pick<BlueskyClient, 'key'>): Promise<ClientAuth> {
  return key === null ? None() : PrivateKeyJwt({ key: await signingKey(key), kid: KEY_ID });
}

/** What servers read at the client's id. */
export async function clientDocument(io: OauthIo, redirectUri: string): Promise<JsonObject> {
  const { clientId, key } = await clientOf(io, redirectUri);
  return {
    client_id: clientId,
    client_name: 'Carillon',
    client_uri: io.endpoints.PUBLIC_URL,
    application_type: 'web',
    redirect_uris: [redirectUri],
    scope: SCOPE,
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
    dpop_bound_access_tokens: true,
    ...(key !== null && {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks: { keys: [{ ...publicPart(key), kid: KEY_ID, alg: 'ES256', use: 'sig' }] },
    }),
  };
}

async function keptKey(io: OauthIo): Promise<PrivateKey> {
  const app = await io.keptApp(io.endpoints.PUBLIC_URL, async () => ({
    clientId: io.endpoints.PUBLIC_URL + DOCUMENT_PATH,
    clientSecret: JSON.stringify(await makeKey()),
  }));
  return JSON.parse(app.clientSecret ?? 'null') as PrivateKey;
}
