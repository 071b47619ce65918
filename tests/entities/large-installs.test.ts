/** What migrations set for installs with millions of posts (docs/decisions/0135-index-periods-before-words.md, 0136-write-the-ledger-to-new-pages.md). */
import { beforeAll, expect, it } from 'vitest';
import { startWorld, type World } from '../harness/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

it('a search has one index to choose, with the periods before the words', async () => {
  const indexes = await world.sql<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where tablename = 'post_words' and indexname <> 'post_words_pkey'`,
  );
  expect(indexes.map(({ indexname }) => indexname)).toEqual(['post_words_search_index']);
  expect(indexes[0]?.indexdef).toMatch(/USING gin \(\(?ARRAY\[.*\]\)?, words\)$/);
});

it('new rows of the ledger leave a tenth of a page free, so that they do not fill single gaps of old pages', async () => {
  expect(
    await world.sql(`select 'fillfactor=90' = any(reloptions) as spaced from pg_class where relname = 'attempts'`),
  ).toEqual([{ spaced: true }]);
});
