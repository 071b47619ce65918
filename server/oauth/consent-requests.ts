/** The consent pages as oidc-provider sees them: what the client asked for, and what the person answered. */
import type { Request, Response } from 'express';
import type { Provider } from 'oidc-provider';
import { NIL } from 'uuid';
import {
  type Consent,
  type ConsentRequest,
  type ConsentRequests,
  type Outcome,
  type PendingRequest,
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
      return asked?.uid === uid ? pendingRequest(context, asked.params) : null;
    },
    withClient: async (request, pending) => withClient(await current(), request, pending),
    allow: (request, response, consent) =>
      unlessAnswered(async () => {
        const provider = await current();
        const interaction = await provider.interactionDetails(request, response);
        const { uid, params } = interaction;
        if (interaction.result !== undefined) return { to: answerUrl(provider, interaction) };
        const asked = await withClient(provider, request, pendingRequest(context, params));
        if (asked === null) return { to: null, why: 'no client' };
        // If the button is pressed twice at once, both requests use the same grant.
        const grantId = await claimForGrant(context, 'Interaction', uid, context.random.uuid());
        if (grantId === null) return ANSWERED;
        if (grantId === DENIED) return { to: denialUrl(provider, params) };
        await grant(context, provider, {
          id: grantId,
          asked,
          consent,
          requestId: requestIdOf(response),
          resources: resourcesOf(context, params),
        });
        const login = { accountId: consent.ownerId, remember: false };
        return { to: await provider.interactionResult(request, response, { login, consent: { grantId } }) };
      }),
    deny: (request, response, person) =>
      unlessAnswered(async () => {
        const provider = await current();
        const interaction = await provider.interactionDetails(request, response);
        if (interaction.result !== undefined) return { to: answerUrl(provider, interaction) };
        const claimed = await claimForGrant(context, 'Interaction', interaction.uid, DENIED);
        if (claimed === null) return ANSWERED;
        // The other button was pressed first, and its request has not finished. Its grant would outlive this denial.
        if (claimed !== DENIED) return { to: interaction.returnTo };
        await recordDenial(context, { ...person, requestId: requestIdOf(response) });
        await provider.interactionResult(request, response, DENIAL, { mergeWithLastSubmission: false });
        return { to: denialUrl(provider, interaction.params) };
      }),
  };
}

const ANSWERED: Outcome = { to: null, why: 'answered already' };

/** The request goes when the browser follows the redirect of an earlier answer, which can be in the middle of this one. */
async function unlessAnswered(answer: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await answer();
  } catch (error) {
    if (isGone(error)) return ANSWERED;
    throw error;
  }
}

/** Claims a request for no grant. */
const DENIED = NIL;

const DENIAL = { error: 'access_denied', error_description: 'the owner said no' };

/** Where the browser goes after an answer. Of several presses of the buttons, the first one counts. */
function answerUrl(provider: Provider, { result, params, returnTo }: Interaction): string {
  return result?.['error'] === undefined ? returnTo : denialUrl(provider, params);
}

/**
 * Leads straight to the redirect URI, which was checked when the client asked: oidc-provider would need the client's
 * document again.
 */
function denialUrl({ issuer }: Provider, { redirect_uri: redirectUri, state }: Record<string, unknown>): string {
  const url = new URL(String(redirectUri));
  const answer = { ...DENIAL, ...(typeof state === 'string' && { state }), iss: issuer };
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  return url.href;
}

/** Null when the browser does not present the cookie of a request, or the request has ended. */
async function detailsOf(provider: Provider, request: Request, response: Response) {
  try {
    return await provider.interactionDetails(request, response);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof providerLibrary().errors.SessionNotFound;
}

async function withClient(
  provider: Provider,
  request: Request,
  pending: PendingRequest,
): Promise<ConsentRequest | null> {
  const { clientId } = pending;
  const client = await findClient(provider, request, clientId);
  return client === undefined ? null : { ...pending, clientName: clientName(client.clientName, clientId) };
}

function pendingRequest(context: Context, params: Record<string, unknown>): PendingRequest {
  return {
    clientId: String(params['client_id']),
    redirectUri: String(params['redirect_uri']),
    scopes: knownScopes(params['scope']),
    asksForApi: resourcesOf(context, params).includes(resourceOf(context.config, 'api')),
  };
}

/** The resources that a request indicates; /mcp when it indicates none. */
function resourcesOf({ config }: Context, { resource }: Record<string, unknown>): string[] {
  const named = [resource].flat().filter((one): one is string => resourceNamed(config, one) !== undefined);
  return named.length === 0 ? [resourceOf(config, 'mcp')] : named;
}

/** The stored request of a client, and what the person answered. */
type Interaction = Pick<Awaited<ReturnType<Provider['interactionDetails']>>, 'params' | 'result' | 'returnTo'>;

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
