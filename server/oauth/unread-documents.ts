/**
 * Keeps clients signed in while their metadata document cannot be read. oidc-provider calls such a client invalid, and clients
 * that are told `invalid_client` drop their tokens, so that a person has to allow them again.
 */
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import type { Provider } from './provider-library.ts';

/** Seconds after which a client may send its request again. */
const RETRY_AFTER_SECONDS = 30;

/** How oidc-provider describes a document that it could not fetch. */
const NOT_FETCHED = 'client_id metadata document fetch failed';

/** Statuses that say that the document is gone or somewhere else. */
const GONE = /\b(?:3\d\d|404|410)$/;

/** Nothing has been consumed before the client is known, so the same request works once the document can be read. */
export function keepClientsOfUnreadDocuments(provider: Provider): void {
  const answer = (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError) => {
    if (error.error_description !== NOT_FETCHED || GONE.test(error.error_detail ?? '')) return;
    ctx.status = 503;
    ctx.set('retry-after', String(RETRY_AFTER_SECONDS));
    ctx.body = {
      error: 'temporarily_unavailable',
      error_description: 'the metadata document of the client cannot be read now; send the same request again later',
    };
  };
  provider.on('grant.error', answer);
  provider.on('revocation.error', answer);
}
