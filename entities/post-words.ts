/** Search index of a post's text, written with the post and whenever its text changes. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Post } from './post.ts';

export const PostWords = defineEntity({
  name: 'PostWords',
  tableName: 'post_words',
  properties: {
    postId: () => p.manyToOne(Post).mapToPk().primary().deleteRule('cascade').fieldName('post_id'),
    /** Lexemes of the text, and one that identifies the account. */
    words: p.string().columnType('tsvector'),
  },
  indexes: [
    {
      name: 'post_words_index',
      expression: `create index "post_words_index" on "post_words" using gin ("words")`,
    },
  ],
});
export type PostWords = InferEntity<typeof PostWords>;
