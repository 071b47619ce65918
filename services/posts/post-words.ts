/**
 * The words of a post's text, for searching: lexemes of the configuration `simple`, which knows no language. They are
 * in a table of their own, because a row of `posts` is written many times and an index of words is expensive to write.
 */

/** What marks the posts of an account among the words: no word of a text has a space in it. */
export function ownerLexeme(accountId: string): string {
  return `'account ${accountId}'`;
}

/** The expression of `words`, from expressions of an account id and a text. */
export function wordsOf(accountId: string, text: string): string {
  return `array_to_tsvector(array['account ' || ${accountId}]) || to_tsvector('simple', ${text})`;
}

/**
 * Condition on `post_words w`. Any input is words here: operators and quotes mean nothing, and what has no word matches
 * nothing.
 *
 * @param q parameter with the words
 * @param owner parameter with the {@link ownerLexeme}
 */
export function matchesWords(q: string, owner: string): string {
  return `w.words @@ plainto_tsquery('simple', ${q}::text) and w.words @@ ${owner}::tsquery`;
}
