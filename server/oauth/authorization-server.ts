/**
 * The authorization server: oidc-provider with the current signing keys. The provider takes its keys when it is
 * created, so a change of keys creates a new one. Everything persistent is in the database.
 */
import type { EventEmitter } from 'node:events';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { ConsentRequests } from '../../console/oauth/consent-requests.ts';
import type { Context } from '../../services/context.ts';
import { DEFAULT_SCOPES, SCOPES } from '../../services/access/scopes.ts';
import { createPublicRateLimiter } from '../../services/limits/public-rate-limiter.ts';
import type { RateLimiter } from '../../services/limits/rate-limiter.ts';
import { hasAllowedScheme } from '../../services/oauth/redirect-scheme.ts';
import type { SigningKey } from '../../services/oauth/signing-keys.ts';
import type { MachineTime } from '../database-clock.ts';
import { REQUEST_ID_HEADER } from '../rate-headers.ts';
import { type CheckAccessToken, createAccessTokenCheck } from './check-access-token.ts';
import { consentRequests } from './consent-requests.ts';
import { providerConfiguration, type ProviderParts, ROUTES } from './provider-configuration.ts';
import { giveOneSuccessor } from './one-successor.ts';
import { createSigningKeySet } from './signing-key-set.ts';
import { loadProviderLibrary, type Provider, providerLibrary } from './provider-library.ts';
import { keepUnknownClientsHere } from './unknown-clients.ts';
import { keepClientsOfUnreadDocuments } from './unread-documents.ts';
import type { WithPublicLimiter } from '../../services/limits/rate-limiter.ts';

export interface AuthorizationServer {
  /** Counts new clients in buckets `<machine> clients`: registrations, and client documents that are fetched. */
  readonly newClients: RateLimiter;
  /** The provider with the current keys. */
  provider(): Promise<Provider>;
  readonly requests: ConsentRequests;
  readonly checkAccessToken: CheckAccessToken;
}

/**
 * New clients per minute from one address, unless RATE_LIMIT_PER_MINUTE is raised above its default
 * (docs/contract/agents.md#tool-results).
 */
const NEW_CLIENTS = 30;

export const DISCOVERY_PATH = '/.well-known/oauth-authorization-server';

export function createAuthorizationServer(
  context: Context & WithPublicLimiter,
  machine: MachineTime,
): AuthorizationServer {
  const keySet = createSigningKeySet(context);
  const { db, clock, config } = context;
  const newClients = createPublicRateLimiter(
    db,
    clock,
    Math.max(NEW_CLIENTS, Math.floor(config.rateLimitPerMinute / 2)),
  );
  let made: { readonly keys: readonly SigningKey[]; readonly provider: Provider } | undefined;
  const provider = async () => {
    await loadProviderLibrary();
    const keys = await keySet.latest();
    if (made?.keys !== keys) made = { keys, provider: createProvider(context, { machine, keys, newClients }) };
    return made.provider;
  };
  return {
    newClients,
    provider,
    requests: consentRequests(context, provider),
    checkAccessToken: createAccessTokenCheck(context, machine, keySet),
  };
}

function createProvider(context: Context & WithPublicLimiter, parts: ProviderParts): Provider {
  const provider = new (providerLibrary().Provider)(context.config.publicUrl, providerConfiguration(context, parts));
  // Our own router writes the headers that the provider reads as forwarded.
  provider.proxy = true;
  giveOneSuccessor(context, provider);
  refuseForeignSchemes(provider);
  keepClientsOfUnreadDocuments(provider);
  provider.on('server_error', (ctx, error) => {
    const reqId = ctx.res.getHeader(REQUEST_ID_HEADER);
    context.log.error({ reqId, err: error }, 'an OAuth request failed');
  });
  // Without a listener Koa prints errors unfiltered on standard error.
  (provider as EventEmitter).on('error', (error: Error) =>
    context.log.warn({ err: error }, 'an OAuth request was not served'),
  );
  // The provider must not remember a signed-in person, neither in the database nor in a cookie.
  provider.on('authorization.success', (ctx) => {
    Object.assign(ctx.oidc.session ?? {}, { destroyed: true });
  });
  provider.use(async (ctx, next) => {
    // A request without scopes would end in a refusal after the person has agreed.
    if (ctx.path === ROUTES.authorization && !ctx.query['scope'])
      ctx.query = { ...ctx.query, scope: DEFAULT_SCOPES.join(' ') };
    await next();
    if (ctx.path === ROUTES.authorization) await keepUnknownClientsHere(context, ctx as KoaContextWithOIDC);
    if (ctx.path === DISCOVERY_PATH && ctx.status === 200) ctx.body = described(ctx.body as Record<string, unknown>);
  });
  return provider;
}

/**
 * Applies to every client, however and whenever it became known, including those registered before this rule existed.
 */
function refuseForeignSchemes(provider: Provider): void {
  const { prototype } = provider.Client;
  const { redirectUriAllowed } = prototype;
  prototype.redirectUriAllowed = function isAllowed(this: typeof prototype, uri) {
    return hasAllowedScheme(uri) && redirectUriAllowed.call(this, uri);
  };
}

/**
 * Metadata of oidc-provider about OpenID Connect, which is not offered here, and about response types that no client
 * can register.
 */
const UNSAID =
  /^(acr_|claim|id_token_|subject_|userinfo_|end_session_|request_|require_request|require_signed|authorization_details|.*_modes?_supported$)/;

function described(document: Record<string, unknown>): Record<string, unknown> {
  const said = Object.entries(document).filter(([name]) => !UNSAID.test(name));
  return { ...Object.fromEntries(said), scopes_supported: Object.keys(SCOPES), response_modes_supported: ['query'] };
}
