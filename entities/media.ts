/**
 * An uploaded image (docs/contract/media.md#uploads). The bytes are in the media store; this row holds its properties
 * and its owner.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';

/**
 * storing: its bytes are being stored. stored: it can be used. removing: its bytes are to be removed. removed: they are
 * gone, and the row remains for the posts that name it. Only the first two count as storage.
 */
export const MEDIA_STATES = ['storing', 'stored', 'removing', 'removed'] as const;

/** Accepted media types. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

export const Media = defineEntity({
  name: 'Media',
  tableName: 'media',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    profileId: p.uuid().strictNullable(),
    contentType: p.string().$type<ImageType>(),
    sizeBytes: p.integer(),
    /** SHA-256 of the bytes, in hexadecimal; null for an image of a version that stored none. */
    bytesHash: p.string().length(64).strictNullable(),
    /** Pixels, after the EXIF orientation has been applied. */
    width: p.integer(),
    height: p.integer(),
    altText: p.text().strictNullable(),
    state: p.enum(MEDIA_STATES),
    createdAt: instant(),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    { properties: ['accountId', 'state', 'id'] },
    {
      name: 'media_stored_index',
      expression: `create index "media_stored_index" on "media" ("id") where ("state" = 'stored')`,
    },
    {
      name: 'media_unsettled_index',
      expression: `create index "media_unsettled_index" on "media" ("id") where ("state" in ('storing', 'removing'))`,
    },
  ],
});
export type Media = InferEntity<typeof Media>;
