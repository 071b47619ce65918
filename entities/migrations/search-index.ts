/**
 * The index that a search reads, stated once for every migration that makes it: an install that skips a version builds it once
 * (docs/decisions/0135-index-periods-before-words.md).
 */

const PERIODS = `(array[left("post_id"::text, 4), left("post_id"::text, 5), left("post_id"::text, 6), left("post_id"::text, 7)])`;

export const CREATE_SEARCH_INDEX = `create index if not exists "post_words_search_index" on "post_words" using gin (${PERIODS}, "words")`;
