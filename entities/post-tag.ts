/** A tag of a post, stored in the sort order of lists; `posts.tags` has the same tags in the caller's order. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Post } from './post.ts';

export const PostTag = defineEntity({
  name: 'PostTag',
  tableName: 'post_tags',
  properties: {
    postId: () => p.manyToOne(Post).mapToPk().primary().deleteRule('cascade').fieldName('post_id'),
    tag: p.text().primary(),
    /** Account of the post. */
    accountId: p.uuid(),
  },
  indexes: [{ properties: ['accountId', 'tag', 'postId'] }],
});
export type PostTag = InferEntity<typeof PostTag>;
