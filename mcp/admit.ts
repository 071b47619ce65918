/**
 * Authenticates a request: the holder of a key, or an agent with an access token. x-api-key wins; a bearer token counts
 * as a key when it has the form of one (docs/contract/agents.md#mcp).
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../services/context.ts';
import { authenticate } from '../services/keys/authenticate.ts';
import type { Admission, WithKeyChecks } from '../services/keys/key-checks.ts';
import { type AccessToken, admitGrant } from '../services/oauth/admit-grant.ts';
import type { WithLimiter } from '../services/limits/rate-limiter.ts';

/** How the endpoint authenticates requests. */
export interface Credentials {
  /** The key that a request presents. */
  readonly presentedKey: (headers: IncomingHttpHeaders) => string | undefined;
  /** Gives null for a token that was not issued here, is not for this endpoint, or has expired. */
  readonly checkAccessToken: (token: string) => Promise<AccessToken | null>;
}

/**
 * @param bucket of the request; undefined when it is counted later
 * @returns null when no presented credential is valid
 */
export async function admit(
  context: Context & WithKeyChecks & WithLimiter,
  { presentedKey, checkAccessToken }: Credentials,
  headers: IncomingHttpHeaders,
  bucket: string | undefined,
): Promise<Admission | null> {
  const presented = presentedKey(headers);
  // A key never reaches the token parser or its error messages.
  if (presented === undefined || headers['x-api-key'] !== undefined || presented.startsWith('crl_')) {
    return authenticate(context, presented, bucket);
  }
  const token = await checkAccessToken(presented);
  return token === null ? null : admitGrant(context, token, bucket);
}
