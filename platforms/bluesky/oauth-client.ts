/**
 * How AT Protocol servers identify this install: by the URL of a client metadata document that it serves, and a
 * key in that document. An install on a developer's machine has no public URL and needs neither.
 */
import { type ClientAuth, modifyAssertion, None, PrivateKeyJwt } from 'oauth4webapi';
import type { JsonObject, PlatformEndpoints } from '../contract.ts';
import type { OauthIo } from '../connect.ts';
import { makeKey, type PrivateKey, publicPart, signingKey } from './dpop.ts';

/** The requested scopes: identify the account, and post. */
export const SCOPE = 'atproto transition:generic';

/** Path of the document below PUBLIC_URL. */
const DOCUMENT_PATH = '/connect/client/bluesky';

/** Id of the only key. */
const KEY_ID = 'carillon-1';

export interface BlueskyClient {
  readonly clientId: string;
  /** The redirect URI. */
  readonly redirectUri: string;
  /** The key that authenticates the client; null on a developer's machine. */
  readonly key: PrivateKey | null;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Whether servers can fetch the client metadata document of this install. */
export function canBeKnown({ PUBLIC_URL }: Pick<PlatformEndpoints, 'PUBLIC_URL'>): boolean {
  const { protocol, hostname } = new URL(PUBLIC_URL);
  return protocol === 'https:' || LOOPBACK.includes(hostname);
}

/** Where servers fetch the client metadata document of an install that they can reach. */
export function documentUrl({ PUBLIC_URL }: Pick<PlatformEndpoints, 'PUBLIC_URL'>): string {
  return PUBLIC_URL + DOCUMENT_PATH;
}

/** @see https://atproto.com/specs/oauth#clients */
export async function clientOf(io: OauthIo, redirectUri: string): Promise<BlueskyClient> {
  const { PUBLIC_URL } = io.endpoints;
  if (new URL(PUBLIC_URL).protocol === 'https:') {
    return { clientId: documentUrl(io.endpoints), redirectUri, key: await keptKey(io) };
  }
  const back = new URL(redirectUri);
  // Servers accept the loopback address, not the name localhost.
  if (back.hostname === 'localhost') back.hostname = '127.0.0.1';
  const query = new URLSearchParams({ redirect_uri: back.href, scope: SCOPE });
  return { clientId: `http://localhost?${query.toString()}`, redirectUri: back.href, key: null };
}

/** Seconds by which the clock of this machine may be ahead. Servers accept an assertion for a minute, and none from the future. */
const AHEAD_SECONDS = 15;

/** Builds the client authentication of the install. */
export async function proofOf({ key }: Pick<BlueskyClient, 'key'>): Promise<ClientAuth> {
  if (key === null) return None();
  return PrivateKeyJwt(
    { key: await signingKey(key), kid: KEY_ID },
    {
      [modifyAssertion]: (_header, payload) => {
        const issuedAt = Number(payload['iat']) - AHEAD_SECONDS;
        Object.assign(payload, { iat: issuedAt, nbf: issuedAt });
      },
    },
  );
}

/** The client metadata document, which servers fetch at the client id. */
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
    clientId: documentUrl(io.endpoints),
    clientSecret: JSON.stringify(await makeKey()),
  }));
  return JSON.parse(app.clientSecret ?? 'null') as PrivateKey;
}
