/**
 * Counts token requests by address, and also by grant once a code or refresh token of the grant was presented. Many
 * people may use one client, so neither its id, which anyone can send, nor a token of one of them may use up the limit
 * of the others.
 */
import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { errors } from 'oidc-provider';
import type { Context } from '../../services/context.ts';
import { networkOf } from '../../services/limits/network-of.ts';
import { type RateState, secondsUntilReset, type WithPublicLimiter } from '../../services/limits/rate-limiter.ts';
import { providerLibrary } from './provider-library.ts';

const TOO_MANY = 'too_many_requests';

const ADVICE = 'wait for the seconds in Retry-After';

function sentence({ limit }: RateState, who: string): string {
  return `more than ${limit} requests a minute ${who}`;
}

interface TooManyRequests extends errors.OIDCProviderError {
  readonly retryAfterSeconds: number;
}

/** @param path names the bucket; mount this in front of the endpoint */
export function limitByAddress(context: Context & WithPublicLimiter, path: string): RequestHandler {
  return async (request, response, next) => {
    if (request.method !== 'POST') return next();
    const now = context.clock.now();
    const rate = await context.publicLimiter.take(`${networkOf(request.ip)} ${path}`, now);
    if (rate.allowed) return next();
    response.setHeader('retry-after', String(secondsUntilReset(rate, now)));
    response.setHeader('cache-control', 'no-store');
    // Clients in browsers must be able to read the answer; it contains no personal data.
    response.setHeader('access-control-allow-origin', '*');
    response
      .status(429)
      .json({ error: TOO_MANY, error_description: `${sentence(rate, 'from this address')}; ${ADVICE}` });
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
  if (!rate.allowed) throw tooManyRequests(res, rate, now, sentence(rate, 'for this grant'));
}

/**
 * An error that oidc-provider answers as 429.
 *
 * @param response gets the Retry-After header; undefined when our own page answers
 */
export function tooManyRequests(
  response: ServerResponse | undefined,
  rate: RateState,
  now: Date,
  why: string,
): TooManyRequests {
  const retryAfterSeconds = secondsUntilReset(rate, now);
  response?.setHeader('retry-after', String(retryAfterSeconds));
  const refusal = new (providerLibrary().errors.OIDCProviderError)(429, TOO_MANY);
  const description = response === undefined ? why : `${why}; ${ADVICE}`;
  return Object.assign(refusal, { error_description: description, expose: true, retryAfterSeconds });
}

export function isTooManyRequests(error: errors.OIDCProviderError): error is TooManyRequests {
  return error.error === TOO_MANY;
}
