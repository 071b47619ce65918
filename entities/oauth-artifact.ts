/**
 * What the authorization server keeps: registered clients, requests for consent, codes, refresh tokens. Codes and
 * tokens are secrets, so a row is found by a hash of them and holds none.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { instant } from './columns.ts';

export const OauthArtifact = defineEntity({
  name: 'OauthArtifact',
  tableName: 'oauth_artifacts',
  properties: {
    /** Hex SHA-256 of kind and id. */
    idHash: p.string().length(64).primary(),
    /** What oidc-provider calls it, such as `RefreshToken`. */
    kind: p.string(),
    /** As oidc-provider made it, without its id. */
    payload: p.json<Record<string, unknown>>(),
    /** The grant it belongs to, and ends with. */
    grantId: p.uuid().nullable(),
    /** When it was used up; a second use of the same is a theft or a repetition. */
    consumedAt: instant().nullable(),
    /** Null for clients that the operator added. */
    expiresAt: instant().nullable(),
  },
  indexes: [{ properties: ['grantId'] }, { properties: ['expiresAt'] }],
});
export type OauthArtifact = InferEntity<typeof OauthArtifact>;
