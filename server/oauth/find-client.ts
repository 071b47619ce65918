/**
 * Finds a client for our own pages. oidc-provider may read the client's metadata document then, without a request that it
 * handles, so it cannot tell who caused that.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Request } from 'express';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../../services/context.ts';
import { networkOf } from '../../services/limits/network-of.ts';
import type { RateLimiter } from '../../services/limits/rate-limiter.ts';
import { type Provider, providerLibrary } from './provider-library.ts';
import { isTooManyRequests, tooManyRequests } from './token-limits.ts';

const pageRequest = new AsyncLocalStorage<Request>();

const ADVICE = 'then open this page again, or go back to the program and start again.';

/**
 * @param request counts a fetch of the document by its address
 * @throws ServiceError when the document cannot be read or is not accepted, or its address has caused too many fetches
 */
export async function findClient(provider: Provider, request: Request, clientId: string) {
  try {
    return await pageRequest.run(request, () => provider.Client.find(clientId));
  } catch (error) {
    if (!(error instanceof providerLibrary().errors.OIDCProviderError)) throw error;
    const why = error.error_description ?? error.message;
    if (isTooManyRequests(error)) {
      const { retryAfterSeconds } = error;
      const message = `The program ${clientId} was not looked up: ${why}. Wait ${retryAfterSeconds} s, ${ADVICE}`;
      throw new ServiceError('too many requests', message, { retryAfterSeconds, cause: error });
    }
    throw new ServiceError(
      'invalid_request',
      `The program ${clientId} was not accepted: ${why}. Wait a minute, ${ADVICE}`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Counts a fetch of a client's document by the address that causes it: anyone may name any document.
 *
 * @param ctx what oidc-provider hands to a hook; undefined for a client that our own pages look up
 * @throws OIDCProviderError which is answered as 429
 */
export async function countDocumentFetch(
  { clock }: Context,
  newClients: RateLimiter,
  ctx: KoaContextWithOIDC | undefined,
): Promise<void> {
  const asker = (ctx?.req as Request | undefined) ?? pageRequest.getStore();
  const now = clock.now();
  const rate = await newClients.take(`${networkOf(asker?.ip)} clients`, now);
  if (!rate.allowed)
    throw tooManyRequests(ctx?.res, rate, now, `more than ${rate.limit} clients a minute were named from this address`);
}
