/** GET /posts?q= in an account with more posts than a search reads in order, over four years. */
import { beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { idsIn, type PostSearchFilter, searchAll, searchPage, storeWords } from '../../harness/search-pages.ts';
import { startWorld } from '../../harness/world.ts';

const POSTS = 800;

const world = await startWorld();
let key: string;
/** All posts of the account, newest first, with the number of each: the oldest is 0. */
let posts: { id: string; n: number }[];

const list = (filter: PostSearchFilter) => searchPage(world, key, filter);
const allOf = (filter: PostSearchFilter) => searchAll(world, key, filter);
const those = (matches: (n: number) => boolean) => posts.filter(({ n }) => matches(n)).map(({ id }) => id);

const hasRareWord = (n: number) => n % 70 === 3;
const hasOldWord = (n: number) => n < 40;
const isTagged = (n: number) => n % 7 === 3;
const isFailed = (n: number) => n % 5 === 3;

beforeAll(async () => {
  let accountId;
  ({ key, id: accountId } = await makeAccount(world));
  const own = await connectSandbox(world, { key, slug: 'own' });
  const other = await connectSandbox(world, { key, slug: 'other' });
  // The newest posts are minutes apart, and the oldest months: the search reads periods of each length.
  await world.sql(
    `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text, tags, thread, created_at)
     select (overlay(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') placing '-' from 9 for 0)
         || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
       $1, case when n % 2 = 0 then $2::uuid else $3::uuid end, case when n % 2 = 0 then 'own' else 'other' end, 'sandbox', 'live',
       case when n % 5 = 3 then 'failed' else 'sent' end, words, words,
       case when n % 7 = 3 then '{news}'::text[] else '{}' end, '{}', at
     from (select n, $4::timestamptz - power(${POSTS} - n, 2.6) * interval '3.8 seconds' as at,
         'Ding' || case when n % 70 = 3 then ' comet' else '' end || case when n < 40 then ' jubilee' else '' end || case when n < 540 then ' past' else '' end as words
       from generate_series(0, ${POSTS - 1}) as n) made`,
    [accountId, own.id, other.id, world.clock.now()],
  );
  await storeWords(world, accountId);
  await world.sql(
    `insert into post_tags (post_id, tag, account_id) select id, unnest(tags), account_id from posts where account_id = $1`,
    [accountId],
  );
  posts = await world.sql(
    `select id, (row_number() over (order by id) - 1)::int as n from posts where account_id = $1 order by id desc`,
    [accountId],
  );
});

describe('a search through years of posts', () => {
  it.each<[string, Record<string, string>, (n: number) => boolean]>([
    ['a word of each post', { q: 'ding' }, () => true],
    ['a rare word', { q: 'comet' }, hasRareWord],
    ['a word of old posts', { q: 'jubilee' }, hasOldWord],
    // The newest posts do not have it, and more have it than are read at once.
    ['a word of most posts that are not new', { q: 'past' }, (n) => n < 540],
    ['two words', { q: 'comet jubilee' }, (n) => hasRareWord(n) && hasOldWord(n)],
    ['a word of no post', { q: 'zebra' }, () => false],
    ['a word and a status', { q: 'comet', status: 'failed' }, (n) => hasRareWord(n) && isFailed(n)],
    ['a word and a tag', { q: 'jubilee', tag: 'news' }, (n) => hasOldWord(n) && isTagged(n)],
    ['a word and a connection', { q: 'jubilee', connection: 'other' }, (n) => hasOldWord(n) && n % 2 === 1],
  ])('finds %s, newest first, on every page', async (_name, filter, matches) => {
    expect(await allOf({ ...filter, limit: 9 })).toEqual(those(matches));
    expect(idsIn(await list({ ...filter, limit: 100 }))).toEqual(those(matches).slice(0, 100));
  });

  it('skips as many posts as the offset says', async () => {
    const rare = those(hasRareWord);

    expect(idsIn(await list({ q: 'comet', limit: 3, offset: 2 }))).toEqual(rare.slice(2, 5));
    expect(idsIn(await list({ q: 'comet', limit: 3, offset: rare.length }))).toEqual([]);
    expect(idsIn(await list({ q: 'ding', limit: 3, offset: 248 }))).toEqual(those(() => true).slice(248, 251));
    expect(idsIn(await list({ q: 'past', limit: 3, offset: 300 }))).toEqual(those((n) => n < 540).slice(300, 303));
    expect(idsIn(await list({ q: 'ding', limit: 3, offset: 600 }))).toEqual(those(() => true).slice(600, 603));
  });

  // It writes 130,000 posts, which takes the embedded database too long.
  it.skipIf(world.db.engine !== 'postgres')('skips any number of posts', async () => {
    const many = await makeAccount(world);
    const { id } = await connectSandbox(world, { key: many.key, slug: 'many' });
    await world.sql(
      `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text, tags, thread, created_at)
       select ('00000000-0001-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, $2, 'many', 'sandbox', 'live', 'sent', 'Ding', 'Ding', '{}', '{}', $3
       from generate_series(1, 130000) n`,
      [many.id, id, world.clock.now()],
    );
    await world.sql(
      `insert into post_words (post_id, words)
       select id, array_to_tsvector(array['account ' || account_id::text, 'ding']) from posts where account_id = $1`,
      [many.id],
    );
    // Autovacuum may have seen the few posts before these: PostgreSQL would read all posts for each of them.
    await world.sql('analyze posts');
    await world.sql('analyze post_words');

    const skipping = async (offset: number) =>
      (await world.rest(`GET /posts?q=ding&limit=2&offset=${offset}`, { key: many.key })).body;

    expect(await skipping(129_999)).toMatchObject({ posts: [{ text: 'Ding' }], nextCursor: null });
    expect(await skipping(1_000_000_000)).toMatchObject({ posts: [], nextCursor: null });
  });

  it('finds only posts of the time that is asked for', async () => {
    const { createdAt } = (await list({ q: 'comet', limit: 1, offset: 5 })).posts[0] as unknown as {
      createdAt: string;
    };
    const rare = those(hasRareWord);

    expect(await allOf({ q: 'comet', from: createdAt, limit: 2 })).toEqual(rare.slice(0, 6));
    expect(await allOf({ q: 'comet', to: createdAt, limit: 2 })).toEqual(rare.slice(5));
  });
});
