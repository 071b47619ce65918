/** An app that this install has registered by itself with one server of a federated platform, and uses again. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { id, instant } from './columns.ts';

export const PlatformAppRow = defineEntity({
  name: 'PlatformAppRow',
  tableName: 'platform_apps',
  properties: {
    id: id(),
    platformId: p.string(),
    /** Origin of the server. */
    origin: p.text(),
    /** Where the server sends customers back to; another address needs another registration. */
    redirectUri: p.text(),
    /** What the server knows this install by, encrypted. */
    app: p.text(),
    createdAt: instant(),
  },
  uniques: [{ properties: ['platformId', 'origin', 'redirectUri'] }],
});
export type PlatformAppRow = InferEntity<typeof PlatformAppRow>;
