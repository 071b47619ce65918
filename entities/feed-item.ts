/** An item of a feed that was seen, so that it never becomes a post twice. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { Json } from '../platforms/contract.ts';
import { id, instant } from './columns.ts';
import { Feed } from './feed.ts';

/** passed: it was there before the feed was given its address, or a restored backup may be older than its posts. */
export const FEED_ITEM_STATUSES = ['passed', 'created', 'failed'] as const;

export const FeedItem = defineEntity({
  name: 'FeedItem',
  tableName: 'feed_items',
  properties: {
    id: id(),
    feedId: () => p.manyToOne(Feed).mapToPk().deleteRule('cascade').fieldName('feed_id'),
    /** Hex SHA-256 of its guid, or of its link without one. */
    keyHash: p.string().length(64),
    /** Hex SHA-256 of its link; null without one. */
    linkHash: p.string().length(64).strictNullable(),
    title: p.text(),
    link: p.text().strictNullable(),
    status: p.enum(FEED_ITEM_STATUSES),
    /** One result a connection. */
    results: p.json<Json[]>(),
    errorCode: p.string().strictNullable(),
    errorMessage: p.text().strictNullable(),
    createdAt: instant(),
  },
  indexes: [{ properties: ['feedId', 'id'] }, { properties: ['feedId', 'linkHash'] }],
  uniques: [{ name: 'feed_items_key_unique', properties: ['feedId', 'keyHash'] }],
});
export type FeedItem = InferEntity<typeof FeedItem>;
