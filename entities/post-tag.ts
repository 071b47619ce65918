/** A tag of a post, kept in the order lists are read in; `posts.tags` says the same, in the order the caller gave. */
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
