/**
 * Configures oidc-provider: OAuth 2.1 for one resource, with public clients, PKCE and short-lived access tokens
 * (docs/decisions/0047-issue-access-tokens-with-oidc-provider.md).
 */
import type { ClientMetadata, Configuration, interactionPolicy as Policy, KoaContextWithOIDC } from 'oidc-provider';
import { Owner } from '../../entities/owner.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { checkInputBounds } from '../../routers/schemas/input-bounds.ts';
import { oauthErrorPage } from '../../console/oauth/oauth-error-page.ts';
import type { Context } from '../../services/context.ts';
import { SCOPES } from '../../services/access/scopes.ts';
import { resourceNamed, RESOURCE_NAMES, resourceOf } from '../../services/oauth/addresses.ts';
import { UNUSED_DAYS } from '../../services/oauth/remove-ended-grants.ts';
import { hasAllowedScheme, REDIRECT_SCHEMES } from '../../services/oauth/redirect-scheme.ts';
import { knownScopes } from '../../services/oauth/known-scopes.ts';
import type { RateLimiter } from '../../services/limits/rate-limiter.ts';
import type { SigningKey } from '../../services/oauth/signing-keys.ts';
import type { MachineTime } from '../database-clock.ts';
import { clockLead, getsRefreshTokens, oauthAdapter } from './adapter.ts';
import { DOCUMENT_MAX_BYTES, fetchForProvider, storedMetadata } from './client-metadata.ts';
import { countDocumentFetch } from './find-client.ts';
import { providerLibrary } from './provider-library.ts';
import type { WithPublicLimiter } from '../../services/limits/rate-limiter.ts';

const DAY = 86_400;

/** Lifetimes in seconds. */
const LIFETIMES = {
  AccessToken: 600,
  AuthorizationCode: 60,
  RefreshToken: UNUSED_DAYS * DAY,
  /** A grant lasts while its refresh tokens are renewed; it ends when it is revoked. */
  Grant: 3_650 * DAY,
  /** From the client's request to the press on Allow, including signing in. */
  Interaction: 3_600,
  Session: 3_600,
};

export const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  jwks: '/oauth/jwks',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
};

/** Page on which a person agrees. */
export const INTERACTION_PATH = '/oauth/interaction';

/** What the configuration needs besides the context. */
export interface ProviderParts {
  readonly machine: MachineTime;
  readonly keys: readonly SigningKey[];
  /** Counts new clients by address. */
  readonly newClients: RateLimiter;
}

export function providerConfiguration(context: Context & WithPublicLimiter, parts: ProviderParts): Configuration {
  const { machine, keys } = parts;
  return {
    adapter: oauthAdapter(context, machine),
    clientAuthMethods: ['none', 'private_key_jwt'],
    clientBasedCORS: () => true,
    clientDefaults: { id_token_signed_response_alg: 'ES256', response_modes: ['query'] } as ClientMetadata & object,
    cookies: cookies(context),
    expiresWithSession: () => false,
    extraTokenClaims: (_ctx, token) => ({ gid: 'grantId' in token ? token.grantId : undefined }),
    features: features(context, parts),
    fetch: fetchForProvider(context),
    fetchResponseBodyLimits: { jwks_uri: DOCUMENT_MAX_BYTES },
    findAccount: async (_ctx, sub) => {
      const known = await context.db.em().count(Owner, { id: sub });
      return known === 0 ? undefined : { accountId: sub, claims: () => ({ sub }) };
    },
    formats: {
      customizers: {
        jwt: (_ctx, _token, { payload }) => {
          const lead = clockLead(context, machine);
          Object.assign(payload, { iat: Number(payload['iat']) + lead, exp: Number(payload['exp']) + lead });
        },
      },
    },
    interactions: { policy: policy(), url: (_ctx, { uid }) => `${INTERACTION_PATH}/${uid}` },
    issueRefreshToken: (_ctx, client) => getsRefreshTokens(client),
    jwks: { keys },
    // Every request asks the person again, because an earlier consent does not cover the next request.
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    pkce: { required: () => true },
    renderError: (ctx, out) => {
      ctx.type = 'html';
      const { policy: csp, text } = oauthErrorPage(out);
      ctx.set('content-security-policy', csp);
      ctx.set('cache-control', 'no-store');
      ctx.body = text;
    },
    responseTypes: ['code'],
    revokeGrantPolicy: () => true,
    rotateRefreshToken: (ctx) => {
      refuseOtherResource(context, ctx);
      return true;
    },
    routes: ROUTES,
    scopes: Object.keys(SCOPES),
    ttl: LIFETIMES,
  };
}

function cookies({ signer, config }: Context): NonNullable<Configuration['cookies']> {
  const secure = config.publicUrl.startsWith('https:');
  const prefix = secure ? '__Secure-' : '';
  const options = { signed: true, httpOnly: true, secure, sameSite: 'lax' } as const;
  // oidc-provider expects keys here. This object signs with the install's existing keys and follows their rotation.
  const keys = {
    sign: (text: string) => signer.sign('oauthCookie', text),
    index: (text: string, signature: string) => (signer.isSigned('oauthCookie', text, signature) ? 0 : -1),
    verify: (text: string, signature: string) => signer.isSigned('oauthCookie', text, signature),
  };
  return {
    keys: keys as unknown as string[],
    names: {
      interaction: `${prefix}oauth-asked`,
      resume: `${prefix}oauth-answered`,
      session: `${prefix}oauth-session`,
    },
    long: options,
    short: options,
  };
}

function features(context: Context, { keys, newClients }: ProviderParts): NonNullable<Configuration['features']> {
  const off = { enabled: false };
  return {
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: async (ctx) => {
        await countDocumentFetch(context, newClients, ctx);
        return true;
      },
    },
    registration: {
      enabled: true,
      issueRegistrationAccessToken: false,
      // The only hook between reading a registration and checking it.
      idFactory: (ctx) => {
        const { oidc } = ctx as unknown as { oidc: { body: Record<string, unknown> } };
        oidc.body = storedMetadata(oidc.body);
        refuseTooLong(oidc.body);
        refuseDamagedName(oidc.body['client_name']);
        refuseForeignSchemes(oidc.body['redirect_uris']);
        return context.random.uuid();
      },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => defaultResource(context),
      getResourceServerInfo: (_ctx, indicated) => {
        refuseUnknownResource(context, indicated);
        return {
          scope: Object.keys(SCOPES).join(' '),
          audience: indicated,
          accessTokenTTL: LIFETIMES.AccessToken,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256', kid: keys[0]?.kid } },
        };
      },
      useGrantedResource: () => true,
    },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => client.clientId === token.clientId },
    devInteractions: off,
    dPoP: off,
    pushedAuthorizationRequests: off,
    rpInitiatedLogout: off,
    userinfo: off,
  } as NonNullable<Configuration['features']>;
}

function defaultResource({ config }: Context): string {
  return resourceOf(config, 'mcp');
}

function refuseUnknownResource({ config }: Context, indicated: unknown): void {
  if (resourceNamed(config, indicated) !== undefined) return;
  const known = RESOURCE_NAMES.map((name) => resourceOf(config, name)).join(' and ');
  throw new (providerLibrary().errors.InvalidTarget)(`the only resources here are ${known}`);
}

/**
 * Refuses the resource of a refresh before the refresh token is used up, so that the client can use the token again.
 * oidc-provider makes the same checks afterwards.
 */
function refuseOtherResource(context: Context, { oidc }: KoaContextWithOIDC): void {
  const token = oidc.entities.RefreshToken;
  const asked = oidc.params?.['resource'] ?? token?.resource;
  const resource = Array.isArray(asked) ? defaultResource(context) : asked;
  refuseUnknownResource(context, resource);
  if (token?.resourceIndicators.has(String(resource)) !== true) throw new (providerLibrary().errors.InvalidTarget)();
}

/**
 * Registration is open to everyone, so a registration has the same size limit as a document. The depth is checked first,
 * because JSON.stringify cannot write values of any depth.
 */
function refuseTooLong(metadata: Record<string, unknown>): void {
  try {
    checkInputBounds(metadata);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new (providerLibrary().errors.InvalidClientMetadata)(error.message);
  }
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= DOCUMENT_MAX_BYTES) return;
  throw new (providerLibrary().errors.InvalidClientMetadata)(
    `at most ${DOCUMENT_MAX_BYTES} bytes are kept of a client; these are ${bytes}`,
  );
}

/**
 * oidc-provider decodes a body that is not UTF-8 with replacement characters. The consent page would show that name.
 * oidc-provider itself refuses a name that is not text.
 */
function refuseDamagedName(name: unknown): void {
  if (typeof name !== 'string' || !name.includes('\uFFFD')) return;
  throw new (providerLibrary().errors.InvalidClientMetadata)(
    'client_name holds the character U+FFFD; send the registration in UTF-8',
  );
}

/** oidc-provider itself refuses a value that is not a list of addresses. */
function refuseForeignSchemes(redirectUris: unknown): void {
  if (!Array.isArray(redirectUris)) return;
  if (redirectUris.every((uri) => typeof uri !== 'string' || !URL.canParse(uri) || hasAllowedScheme(uri))) return;
  throw new (providerLibrary().errors.InvalidClientMetadata)(`redirect_uris may have ${REDIRECT_SCHEMES}`);
}

/** One consent prompt, shown for each request. */
function policy(): Policy.Prompt[] {
  const { Check, Prompt } = providerLibrary().interactionPolicy;
  const isAsked = (ctx: KoaContextWithOIDC) => {
    const asked = ctx.oidc.params?.['scope'];
    if (knownScopes(asked).length === 0) {
      throw new (providerLibrary().errors.InvalidScope)(
        `there are only ${Object.keys(SCOPES).join(', ')}`,
        String(asked),
      );
    }
    return ctx.oidc.result?.consent?.grantId === undefined;
  };
  return [
    new Prompt({ name: 'login', requestable: true }, () => ({})),
    new Prompt(
      { name: 'consent', requestable: true },
      () => ({}),
      new Check('not_agreed', 'the owner must consent', 'consent_required', isAsked, () => ({})),
    ),
  ];
}
