/**
 * The response headers that tell a caller its rate limit and how much is left
 * (docs/contract/errors-and-limits.md#rate-limits).
 */
import type { ErrorBody } from '../errors/error-body.ts';
import type { RateState } from '../services/limits/rate-limiter.ts';

export const REQUEST_ID_HEADER = 'x-request-id';

/** The four headers of an answer to a valid credential. */
export const RATE_HEADER_NAMES = [
  REQUEST_ID_HEADER,
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
] as const;

/** The headers a browser may read: the request id, the three of the rate limit, and when to try again. */
export const EXPOSED_HEADERS = [...RATE_HEADER_NAMES, 'retry-after'].join(', ');

/** The header of an answer whose body names the request, also when it would carry none of the four. */
export function requestIdHeader({ req_id: requestId }: ErrorBody): Record<string, string> {
  return requestId === undefined ? {} : { [REQUEST_ID_HEADER]: requestId };
}

export function rateHeaders(rate: RateState): Record<string, string> {
  return {
    'x-ratelimit-limit': String(rate.limit),
    'x-ratelimit-remaining': String(rate.remaining),
    'x-ratelimit-reset': String(rate.resetAt),
  };
}
