/**
 * Operator endpoints for OAuth: add a client that neither registers nor publishes a document, and rotate the signing
 * key.
 */
import { Router } from 'express';
import { z } from 'zod';
import { invalidInput } from '../../errors/error-body.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../../services/context.ts';
import { addClient } from '../../services/oauth/add-client.ts';
import { hasAllowedScheme, REDIRECT_SCHEMES } from '../../services/oauth/redirect-scheme.ts';
import { addSigningKey } from '../../services/oauth/signing-keys.ts';
import { requestIdOf } from '../request-id.ts';
import { jsonBody } from '../utf8.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { storedMetadata } from './client-metadata.ts';
import { providerLibrary } from './provider-library.ts';

const NewClient = z.strictObject({
  clientId: z.string().regex(/^[A-Za-z0-9._-]{1,80}$/, '1 to 80 letters, digits, dots, dashes or underscores'),
  redirectUris: z.array(z.string().max(2_000)).min(1).max(20),
});

/** Mounted at /operator/oauth, behind the operator's token. */
export function operatorOauth(context: Context, { provider }: AuthorizationServer): Router {
  const router = Router();
  router.post('/clients', jsonBody('50kb'), async (request, response) => {
    const given = NewClient.safeParse(request.body ?? {});
    if (!given.success) throw invalidInput(given.error, request.body);
    const { clientId, redirectUris } = given.data;
    const described = { client_id: clientId, client_name: clientId, redirect_uris: redirectUris };
    const payload = { ...storedMetadata(described), client_id: clientId };
    if (!redirectUris.every((uri) => !URL.canParse(uri) || hasAllowedScheme(uri))) {
      throw new ServiceError('invalid_request', `redirectUris: expected ${REDIRECT_SCHEMES}.`);
    }
    await validate(() => provider().then(({ Client }) => Client.validate(payload)));
    await addClient(context, clientId, payload, requestIdOf(response));
    context.log.info({ clientId }, 'the operator added an OAuth client');
    response.json({ client: { clientId, redirectUris } });
  });
  router.post('/signing-keys', async (_request, response) => {
    const kid = await addSigningKey(context);
    context.log.info({ kid }, 'access tokens are signed with a new key');
    response.json({ kid });
  });
  return router;
}

async function validate(check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof providerLibrary().errors.OIDCProviderError)) throw error;
    throw new ServiceError('invalid_request', `redirectUris: ${error.error_description ?? error.message}.`);
  }
}
