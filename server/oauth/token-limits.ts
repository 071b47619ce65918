/**
 * Counts token requests by address, and also by grant once a code or refresh token of the grant was presented. Many
 * people may use one client, so neither its id, which anyone can send, nor a token of one of them may use up the limit
 * of the others.
 */
import type { RequestHandler } from 'express';
import type { Context } from '../../services/context.ts';
import { networkOf } from '../../services/limits/network-of.ts';
import { type RateState, secondsUntilReset, type WithPublicLimiter } from '../../services/limits/rate-limiter.ts';
import { providerLibrary } from './provider-library.ts';

const TOO_MANY = 'too_many_requests';

function sentence({ limit }: RateState, who: string): string {
  return `more than ${limit} requests a minute ${who}; wait for the seconds in Retry-After`;
}

/** @param path names the bucket; mount this in front of the endpoint */
export function limitByAddress(context: Context & WithPublicLimiter, path: string): RequestHandler {
  return async (request, response, next) => {
    if (request.method !== 'POST') return next();
    const now = context.clock.now();
    const rate = await context.publicLimiter.take(`${networkOf(request.ip ?? '')} ${path}`, now);
    if (rate.allowed) return next();
    response.setHeader('retry-after', String(secondsUntilReset(rate, now)));
    response.setHeader('cache-control', 'no-store');
    // Clients in browsers must be able to read the answer; it contains no personal data.
    response.setHeader('access-control-allow-origin', '*');
    response.status(429).json({ error: TOO_MANY, error_description: sentence(rate, 'from this address') });
  };
}

/**
 * Counts a code or refresh token that was presented to obtain tokens.
 *
 * @throws OIDCProviderError which is answered as 429
 */
export async function countForGrant(context: Context & WithPublicLimiter, grantId: string | null): Promise<void> {
  const { oidc, res } = providerLibrary().Provider.ctx ?? {};
  if (oidc?.route !== 'token' || grantId === null) return;
  const now = context.clock.now();
  const rate = await context.publicLimiter.take(`grant ${grantId} /oauth/token`, now);
  if (rate.allowed) return;
  res?.setHeader('retry-after', String(secondsUntilReset(rate, now)));
  const refusal = new (providerLibrary().errors.OIDCProviderError)(429, TOO_MANY);
  throw Object.assign(refusal, { error_description: sentence(rate, 'for this grant'), expose: true });
}
