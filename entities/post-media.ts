/** The images of a post, in order. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { id } from './columns.ts';
import { Media } from './media.ts';
import { Post } from './post.ts';

export const PostMedia = defineEntity({
  name: 'PostMedia',
  tableName: 'post_media',
  properties: {
    id: id(),
    postId: () => p.manyToOne(Post).mapToPk().deleteRule('cascade').fieldName('post_id'),
    mediaId: () => p.manyToOne(Media).mapToPk().fieldName('media_id'),
    /** From 0. */
    position: p.integer(),
    /** Alternative text of the image in this post; null for the one from the upload. */
    altText: p.text().strictNullable(),
  },
  indexes: [{ properties: ['mediaId'] }],
  uniques: [{ properties: ['postId', 'position'] }],
});
export type PostMedia = InferEntity<typeof PostMedia>;
