/**
 * Finds a client for our own pages. oidc-provider may read the client's metadata document then, without a request that it
 * handles, so it cannot tell who caused that.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Request } from 'express';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { ServiceError } from '../../errors/service-error.ts';
import { type Provider, providerLibrary } from './provider-library.ts';

const pageRequest = new AsyncLocalStorage<Request>();

/**
 * @param request counts a fetch of the document by its address
 * @throws ServiceError when the document cannot be read or is not accepted
 */
export async function findClient(provider: Provider, request: Request, clientId: string) {
  try {
    return await pageRequest.run(request, () => provider.Client.find(clientId));
  } catch (error) {
    if (!(error instanceof providerLibrary().errors.OIDCProviderError)) throw error;
    const why = error.error_description ?? error.message;
    const advice = 'Wait a minute, then open this page again, or go back to the program and start again.';
    throw new ServiceError('invalid_request', `The program ${clientId} was not accepted: ${why}. ${advice}`, {
      cause: error,
    });
  }
}

/** @param ctx what oidc-provider hands to a hook; undefined for a client that our own pages look up */
export function addressOfAsker(ctx: KoaContextWithOIDC | undefined): string {
  const request = (ctx?.req as Request | undefined) ?? pageRequest.getStore();
  return request?.ip ?? '';
}
