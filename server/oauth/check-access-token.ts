/**
 * Checks an access token locally (RFC 9068): issuer, audience and expiry. Whether its grant still exists is checked
 * afterwards.
 */
import * as oauth from 'oauth4webapi';
import { validate as isUuid } from 'uuid';
import type { Context } from '../../services/context.ts';
import { type ResourceName, resourceOf } from '../../services/oauth/addresses.ts';
import type { AccessToken } from '../../services/oauth/admit-grant.ts';
import { knownScopes } from '../../services/oauth/known-scopes.ts';
import type { SigningKey } from '../../services/oauth/signing-keys.ts';
import type { MachineTime } from '../database-clock.ts';
import { clockLead } from './adapter.ts';
import { ROUTES } from './provider-configuration.ts';
import type { SigningKeySet } from './signing-key-set.ts';

/** Seconds by which the clocks of processes that share a database may differ. */
const TOLERANCE_SECONDS = 2;

/** Longer tokens were not issued here. */
const TOKEN_MAX = 4_096;

/** A token with a signature of ES256. oauth4webapi does not count a signature that it cannot decode as a refusal. */
const SIGNED = /^[\w-]+\.[\w-]+\.[\w-]{86}$/;

/**
 * @param resources those that the token may be for
 * @returns null for a token that was not issued here, is for none of the resources, or has expired
 */
export type CheckAccessToken = (token: string, resources: readonly ResourceName[]) => Promise<AccessToken | null>;

export function createAccessTokenCheck(
  context: Context,
  machine: MachineTime,
  keySet: SigningKeySet,
): CheckAccessToken {
  /** One entry for each set of keys, because the library caches data for the object it is given. */
  const issuers = new WeakMap<readonly SigningKey[], oauth.AuthorizationServer>();
  return async (token, resources) => {
    const kid = token.length > TOKEN_MAX || !SIGNED.test(token) ? undefined : kidOf(token);
    if (kid === undefined) return null;
    const keys = await keySet.with(kid);
    if (!keys.some((key) => key.kid === kid)) return null;
    const issuer = issuers.get(keys) ?? issuerOf(context);
    issuers.set(keys, issuer);
    const audience = audienceOf(token);
    const resource = resources.map((name) => resourceOf(context.config, name)).find((one) => one === audience);
    if (resource === undefined) return null;
    const request = new Request(resource, { headers: { authorization: `Bearer ${token}` } });
    const claims = await oauth
      .validateJwtAccessToken(issuer, request, resource, {
        signingAlgorithms: ['ES256'],
        [oauth.clockTolerance]: TOLERANCE_SECONDS,
        [oauth.clockSkew]: clockLead(context, machine),
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: async () => Response.json({ keys: keys.map(publicPart) }),
      })
      .catch(refusedAsNull);
    return claims === null ? null : read(claims);
  };
}

function issuerOf({ config }: Context): oauth.AuthorizationServer {
  return { issuer: config.publicUrl, jwks_uri: config.publicUrl + ROUTES.jwks };
}

function publicPart({ d: _private, ...rest }: SigningKey): oauth.JWK {
  return rest;
}

function kidOf(token: string): string | undefined {
  try {
    const header = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString()) as { kid?: unknown };
    return typeof header.kid === 'string' ? header.kid : undefined;
  } catch {
    return undefined;
  }
}

/** The audience that a token claims, before anything of it is verified. */
function audienceOf(token: string): unknown {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { aud?: unknown };
    return claims.aud;
  } catch {
    return undefined;
  }
}

function refusedAsNull(error: unknown): null {
  const known = [oauth.OperationProcessingError, oauth.UnsupportedOperationError];
  if (known.some((kind) => error instanceof kind)) return null;
  throw error;
}

function read(claims: oauth.JWTAccessTokenClaims): AccessToken | null {
  const { gid, client_id: clientId, scope, cnf, exp } = claims;
  // We issue no token that is bound to a key. A bound token must not pass as a bearer token.
  if (typeof gid !== 'string' || !isUuid(gid) || cnf !== undefined) return null;
  return { grantId: gid, clientId, scopes: new Set(knownScopes(scope)), expiresAt: new Date(exp * 1000) };
}
