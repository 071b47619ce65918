/**
 * State of the authorization server: registered clients, requests for consent, codes, refresh tokens. Codes and tokens
 * are secrets, so a row contains only a hash of them and is found by it.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { instant } from './columns.ts';

export const OauthArtifact = defineEntity({
  name: 'OauthArtifact',
  tableName: 'oauth_artifacts',
  properties: {
    /** Hex SHA-256 of kind and id. */
    idHash: p.string().length(64).primary(),
    /** Model name in oidc-provider, such as `RefreshToken`. */
    kind: p.string(),
    /** The payload from oidc-provider, without its id. */
    payload: p.json<Record<string, unknown>>(),
    /** The grant it belongs to; it ends with the grant. */
    grantId: p.uuid().strictNullable(),
    /** When it was used; a second use is a theft or a repeated request. */
    consumedAt: instant().strictNullable(),
    /** Null for clients that the operator added. */
    expiresAt: instant().strictNullable(),
  },
  indexes: [
    { properties: ['grantId'] },
    { properties: ['expiresAt'] },
    {
      name: 'oauth_artifacts_clients_index',
      expression: `create index "oauth_artifacts_clients_index" on "oauth_artifacts" ("expires_at") where ("kind" = 'Client')`,
    },
  ],
});
export type OauthArtifact = InferEntity<typeof OauthArtifact>;
