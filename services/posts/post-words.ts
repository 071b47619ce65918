/**
 * The words of a post's text, for full-text search: lexemes of the configuration `simple`, which is independent of
 * languages. They are in a separate table, because a row of `posts` is updated many times and updates of a full-text
 * index are expensive.
 */

/** A lexeme that marks the posts of an account. It contains a space, which no word of a text does. */
export function ownerLexeme(accountId: string): string {
  return `'account ${accountId}'`;
}

/** The SQL expression of `words`, from expressions for an account id and a text. */
export function wordsOf(accountId: string, text: string): string {
  return `array_to_tsvector(array['account ' || ${accountId}]) || to_tsvector('simple', ${text})`;
}

/**
 * Condition on `post_words w`. All input is treated as words: operators and quotes have no meaning, and input without a
 * word matches nothing.
 *
 * @param q parameter with the words
 * @param owner parameter with the {@link ownerLexeme}
 */
export function matchesWords(q: string, owner: string): string {
  return `w.words @@ plainto_tsquery('simple', ${q}::text) and w.words @@ ${owner}::tsquery`;
}

/**
 * Condition on `post_words w`: the id of the post begins with one of the periods. Must match the expression of
 * `post_words_search_index` word for word.
 *
 * @param periods expression of an array
 */
export function isOfPeriods(periods: string): string {
  const own = ['4', '5', '6', '7'].map((digits) => `left(w.post_id::text, ${digits})`);
  return `array[${own.join(', ')}] && ${periods}`;
}
