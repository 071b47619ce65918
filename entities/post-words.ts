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
      // The periods of time that the id is in (services/posts/periods.ts), with the words.
      name: 'post_words_search_index',
      expression: `create index "post_words_search_index" on "post_words" using gin ((array[left("post_id"::text, 4), left("post_id"::text, 5), left("post_id"::text, 6), left("post_id"::text, 7)]), "words")`,
    },
  ],
});
export type PostWords = InferEntity<typeof PostWords>;
