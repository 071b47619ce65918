/** An app that this install registered automatically with one server of a federated platform, for reuse. */
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
    /** Where the server redirects customers; another address needs another registration. */
    redirectUri: p.text(),
    /** The app's credentials on that server, encrypted. */
    app: p.text(),
    createdAt: instant(),
  },
  uniques: [{ properties: ['platformId', 'origin', 'redirectUri'] }],
});
export type PlatformAppRow = InferEntity<typeof PlatformAppRow>;
