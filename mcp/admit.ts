/** Who asks: the holder of a key, or an agent with an access token. x-api-key wins; a bearer is a key when it looks like one (docs/contract/agents.md#mcp). */
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../services/context.ts';
import { authenticate } from '../services/keys/authenticate.ts';
import type { Admission } from '../services/keys/key-checks.ts';
import { type AccessToken, admitGrant } from '../services/oauth/admit-grant.ts';

/** What a request is told apart by. */
export interface Credentials {
  /** The key that a request presents. */
  readonly presentedKey: (headers: IncomingHttpHeaders) => string | undefined;
  /** Gives null for a token that is not ours, not for this endpoint, or over. */
  readonly checkAccessToken: (token: string) => Promise<AccessToken | null>;
}

/** @returns null when nothing that was presented is good */
export async function admit(
  context: Context,
  { presentedKey, checkAccessToken }: Credentials,
  headers: IncomingHttpHeaders,
  bucket: string,
): Promise<Admission | null> {
  const presented = presentedKey(headers);
  // A key never gets near the parser of tokens, nor into what it says of them.
  if (presented === undefined || headers['x-api-key'] !== undefined || presented.startsWith('crl_')) {
    return authenticate(context, presented, bucket);
  }
  const token = await checkAccessToken(presented);
  return token === null ? null : admitGrant(context, token, bucket);
}
