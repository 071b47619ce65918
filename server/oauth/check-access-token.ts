/** Checks an access token on its own (RFC 9068): who made it, for whom, until when. Whether its grant lives is asked after that. */
import * as oauth from 'oauth4webapi';
import { validate as isUuid } from 'uuid';
import type { Context } from '../../services/context.ts';
import { resourceOf } from '../../services/oauth/addresses.ts';
import type { AccessToken } from '../../services/oauth/admit-grant.ts';
import { knownScopes } from '../../services/oauth/known-scopes.ts';
import type { SigningKey } from '../../services/oauth/signing-keys.ts';
import type { MachineTime } from '../database-clock.ts';
import { clockLead } from './adapter.ts';
import { ROUTES } from './provider-configuration.ts';
import type { SigningKeyRing } from './signing-key-ring.ts';

/** Seconds by which processes that share a database may differ. */
const TOLERANCE_SECONDS = 2;

/** Longer ones are not ours. */
const TOKEN_MAX = 4_096;

/** @returns null for a token that is not ours, not for this resource, or over */
export type CheckAccessToken = (token: string) => Promise<AccessToken | null>;

export function createAccessTokenCheck(context: Context, machine: MachineTime, ring: SigningKeyRing): CheckAccessToken {
  const resource = resourceOf(context.config);
  /** One a set of keys: the library remembers with it what it was given. */
  const issuers = new WeakMap<readonly SigningKey[], oauth.AuthorizationServer>();
  return async (token) => {
    const kid = token.length > TOKEN_MAX ? undefined : kidOf(token);
    if (kid === undefined) return null;
    const keys = await ring.with(kid);
    if (!keys.some((key) => key.kid === kid)) return null;
    const issuer = issuers.get(keys) ?? issuerOf(context);
    issuers.set(keys, issuer);
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

function refusedAsNull(error: unknown): null {
  const known = [oauth.OperationProcessingError, oauth.UnsupportedOperationError];
  if (known.some((kind) => error instanceof kind)) return null;
  throw error;
}

function read(claims: oauth.JWTAccessTokenClaims): AccessToken | null {
  const { gid, client_id: clientId, scope, cnf } = claims;
  // No token of ours is bound to a key; one that is must not pass for a bearer token.
  if (typeof gid !== 'string' || !isUuid(gid) || cnf !== undefined) return null;
  return { grantId: gid, clientId, scopes: new Set(knownScopes(scope)) };
}
