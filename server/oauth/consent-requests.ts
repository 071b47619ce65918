/** The consent pages as oidc-provider sees them: what the client asked for, and what the person answered. */
import type { Request, Response } from 'express';
import type { Provider } from 'oidc-provider';
import {
  type Consent,
  type ConsentRequest,
  type ConsentRequests,
  redirectHost,
} from '../../console/oauth/consent-requests.ts';
import { scopesWithinRole } from '../../services/access/roles.ts';
import type { Context } from '../../services/context.ts';
import { resourceNamed, resourceOf } from '../../services/oauth/addresses.ts';
import { clientName } from '../../services/oauth/client-name.ts';
import { knownScopes } from '../../services/oauth/known-scopes.ts';
import { claimForGrant } from '../../services/oauth/artifacts.ts';
import { recordDenial, storeGrant } from '../../services/oauth/store-grant.ts';
import { requestIdOf } from '../request-id.ts';
import { findClient } from './find-client.ts';
import { providerLibrary } from './provider-library.ts';

/** @param current gives the provider with the current keys */
export function consentRequests(context: Context, current: () => Promise<Provider>): ConsentRequests {
  return {
    find: async (request, response, uid) => {
      const provider = await current();
      const asked = await detailsOf(provider, request, response);
      return asked?.uid === uid ? requestOf(context, provider, { request, params: asked.params }) : null;
    },
    allow: async (request, response, consent) => {
      const provider = await current();
      const { uid, params, result, returnTo } = await provider.interactionDetails(request, response);
      // The button was pressed twice: the first press counts.
      if (result !== undefined) return returnTo;
      const asked = await requestOf(context, provider, { request, params });
      if (asked === null) throw new (providerLibrary().errors.InvalidClient)('the client no longer exists');
      // If the button is pressed twice at once, both requests use the same grant.
      const grantId = await claimForGrant(context, 'Interaction', uid, context.random.uuid());
      if (grantId === null) return returnTo;
      await grant(context, provider, {
        id: grantId,
        asked,
        consent,
        requestId: requestIdOf(response),
        resources: resourcesOf(context, params),
      });
      const login = { accountId: consent.ownerId, remember: false };
      return provider.interactionResult(request, response, { login, consent: { grantId } });
    },
    deny: async (request, response, person) => {
      const provider = await current();
      const { result, returnTo } = await provider.interactionDetails(request, response);
      if (result !== undefined) return returnTo;
      await recordDenial(context, { ...person, requestId: requestIdOf(response) });
      const said = { error: 'access_denied', error_description: 'the owner said no' };
      return provider.interactionResult(request, response, said, { mergeWithLastSubmission: false });
    },
  };
}

/** Null when the browser does not present the cookie of a request, or the request has ended. */
async function detailsOf(provider: Provider, request: Request, response: Response) {
  try {
    return await provider.interactionDetails(request, response);
  } catch (error) {
    if (error instanceof providerLibrary().errors.SessionNotFound) return null;
    throw error;
  }
}

async function requestOf(
  context: Context,
  provider: Provider,
  { request, params }: { readonly request: Request; readonly params: Record<string, unknown> },
): Promise<ConsentRequest | null> {
  const clientId = String(params['client_id']);
  const client = await findClient(provider, request, clientId);
  if (client === undefined) return null;
  const redirectUri = String(params['redirect_uri']);
  return {
    clientId,
    clientName: clientName(client.clientName, clientId),
    redirectUri,
    scopes: knownScopes(params['scope']),
    asksForApi: resourcesOf(context, params).includes(resourceOf(context.config, 'api')),
  };
}

/** The resources that a request indicates; /mcp when it indicates none. */
function resourcesOf({ config }: Context, { resource }: Record<string, unknown>): string[] {
  const named = [resource].flat().filter((one): one is string => resourceNamed(config, one) !== undefined);
  return named.length === 0 ? [resourceOf(config, 'mcp')] : named;
}

interface Agreed {
  /** Id of the grant. */
  readonly id: string;
  readonly asked: ConsentRequest;
  readonly consent: Consent;
  readonly requestId: string;
  /** What its access tokens are for. */
  readonly resources: readonly string[];
}

/** Writes the record of oidc-provider first: a listed grant can then be used, and an unlisted one cannot. */
async function grant(context: Context, provider: Provider, agreed: Agreed): Promise<void> {
  const { id, asked, consent, requestId } = agreed;
  const { clientId, redirectUri } = asked;
  const { profileId, mode, role, approval } = consent;
  const scopes = scopesWithinRole(asked.scopes, role);
  const storedGrant = new provider.Grant({ jti: id, accountId: consent.ownerId, clientId } as { accountId: string });
  for (const resource of agreed.resources) storedGrant.addResourceScope(resource, scopes.join(' '));
  await storedGrant.save();
  const shown = { clientName: asked.clientName, redirectHost: redirectHost(redirectUri) };
  const agreement = { clientId, ...shown, scopes, profileId, mode, approval };
  await storeGrant(context, id, agreement, { ...consent, requestId });
}
