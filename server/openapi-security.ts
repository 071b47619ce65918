/** Which credentials the document names, and for which operations. Pure. */
import { type Scope, SCOPES } from '../services/access/scopes.ts';
import { resourceOf } from '../services/oauth/addresses.ts';
import { ROUTES } from './oauth/provider-configuration.ts';

export function securitySchemes(publicUrl: string) {
  const tokenUrl = publicUrl + ROUTES.token;
  return {
    apiKey: { type: 'apiKey' as const, in: 'header' as const, name: 'x-api-key', description: 'The API key.' },
    bearer: {
      type: 'http' as const,
      scheme: 'bearer',
      description: 'The same API key as a bearer token. A key with scopes needs those that an access token needs.',
    },
    accessToken: {
      type: 'oauth2' as const,
      description: `An access token as a bearer token, for the resource ${resourceOf({ publicUrl }, 'api')}. GET /events takes those for ${resourceOf({ publicUrl }, 'mcp')} too. Operations without a scope take none.`,
      flows: {
        authorizationCode: {
          authorizationUrl: publicUrl + ROUTES.authorization,
          tokenUrl,
          refreshUrl: tokenUrl,
          scopes: { ...SCOPES },
        },
      },
    },
  };
}

/** @param scopes any one of which is enough for an access token; none when no access token is accepted */
export function securityOf(scopes: readonly Scope[]): Record<string, string[]>[] {
  return [{ apiKey: [] }, { bearer: [] }, ...scopes.map((scope) => ({ accessToken: [scope] }))];
}
