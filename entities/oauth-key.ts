/** A key that signs access tokens. The newest one signs; older ones verify until their tokens have ended. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { id, instant } from './columns.ts';

export const OauthKey = defineEntity({
  name: 'OauthKey',
  tableName: 'oauth_keys',
  properties: {
    /** Also its `kid`. */
    id: id(),
    /** The whole key as a JWK, encrypted. */
    jwk: p.text(),
    createdAt: instant(),
  },
});
export type OauthKey = InferEntity<typeof OauthKey>;
