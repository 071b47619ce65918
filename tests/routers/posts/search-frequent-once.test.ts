/** GET /posts?q= for a word that very many old posts have, and newer ones do not: a campaign of four days, a year ago. */
import { beforeAll, describe, expect, it } from 'vitest';
import { periodsBefore } from '../../../services/posts/periods.ts';
import { olderQuery } from '../../../services/posts/search-posts.ts';
import { surveyOf, surveyQuery } from '../../../services/posts/search-survey.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { idsIn, type PostSearchFilter, searchAll, searchPage, storeWords } from '../../harness/search-pages.ts';
import { startWorld } from '../../harness/world.ts';

/** A post in three minutes. */
const CAMPAIGN = 1920;
const NEWER = 600;
/** Posts after the campaign that have a word of it too, weeks apart: the search reads them in periods of each length. */
const RARE_SINCE = [7, 90, 180, 270, 340];

const world = await startWorld();
let key: string;
let accountId: string;
/** All posts of the account, newest first. */
let posts: { id: string; text: string }[];

const list = (filter: PostSearchFilter) => searchPage(world, key, filter);
const allOf = (filter: PostSearchFilter) => searchAll(world, key, filter);
const withWord = (word: string) => posts.filter(({ text }) => text.split(' ').includes(word)).map(({ id }) => id);

beforeAll(async () => {
  ({ key, id: accountId } = await makeAccount(world));
  const { id: connectionId } = await connectSandbox(world, { key, slug: 'own' });
  await world.sql(
    `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text, tags, thread, created_at)
     select (overlay(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') placing '-' from 9 for 0)
         || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
       $1, $2, 'own', 'sandbox', 'live', case when n % 5 = 3 then 'failed' else 'sent' end, words, words, '{}', '{}', at
     from (
       select n, case when n < ${CAMPAIGN} then $3::timestamptz - interval '400 days' + n * interval '3 minutes'
           else $3::timestamptz - (${CAMPAIGN + NEWER} - n) * interval '7 hours' end as at,
         'Ding' || case when n < ${CAMPAIGN} then ' jubilee' else '' end || case when n < ${CAMPAIGN} and n % 2 = 0 then ' even' else '' end
           || case when n < ${CAMPAIGN} or n = ${CAMPAIGN + NEWER - 9} then ' again' else '' end
           || case when n between 700 and 1300 then ' days' else '' end || case when n = ${CAMPAIGN + 7} or n % 3 = 1 and n < 1800 then ' third' else '' end
           || case when n < ${CAMPAIGN} or n - ${CAMPAIGN} in (${RARE_SINCE.join(', ')}) then ' since' else '' end as words
       from generate_series(0, ${CAMPAIGN + NEWER - 1}) as n) made`,
    [accountId, connectionId, world.clock.now()],
  );
  await storeWords(world, accountId);
  posts = await world.sql(`select id, text from posts where account_id = $1 order by id desc`, [accountId]);
});

describe('a search of a word that was frequent once', () => {
  it.each(['jubilee', 'even', 'again', 'days', 'third', 'since'])(
    'finds all its posts, newest first: %s',
    async (word) => {
      const ids = withWord(word);

      expect(ids.length).toBeGreaterThan(500);
      expect(await allOf({ q: word, limit: 100 })).toEqual(ids);
      expect(idsIn(await list({ q: word, limit: 9 }))).toEqual(ids.slice(0, 9));
      expect(idsIn(await list({ q: word, limit: 5, offset: 470 }))).toEqual(ids.slice(470, 475));
      expect(idsIn(await list({ q: word, limit: 5, offset: ids.length - 2 }))).toEqual(ids.slice(-2));
      expect(idsIn(await list({ q: word, limit: 5, offset: ids.length }))).toEqual([]);
    },
  );

  it('finds those with another filter', async () => {
    const failed = withWord('jubilee').filter((id) => Number.parseInt(id.slice(-12), 16) % 5 === 3);

    expect(await allOf({ q: 'jubilee', status: 'failed', limit: 100 })).toEqual(failed);
  });

  it('reads about an hour at once where the word begins', async () => {
    const before = posts[249]?.id ?? '';
    const [newest = ''] = withWord('jubilee');
    const { sql, parameters } = surveyQuery({ accountId } as Parameters<typeof surveyQuery>[0], 'jubilee', before);

    const survey = surveyOf(await world.sql(sql, [...parameters]));

    expect(survey).toMatchObject({ few: null, first: posts.at(-1)?.id });
    const periods = periodsBefore(before, survey?.first ?? '', survey?.dense ?? null);
    const step = periods.find((some) => some.some((period) => newest.startsWith(period)));
    expect(step).toContain(newest.slice(0, 7));
    expect(step).toHaveLength(4);
  });

  it('reads nothing after the page is full', async () => {
    const before = posts[249]?.id ?? '';
    const [newest = ''] = withWord('jubilee');
    const periods = periodsBefore(before, posts.at(-1)?.id ?? '', newest);
    const full = periods.findIndex((some) => some.some((period) => newest.startsWith(period)));
    const caller = { accountId, profileId: null, mode: 'live' } as Parameters<typeof olderQuery>[0];
    const search = { q: 'jubilee', limit: 9, offset: 0, cursor: before };
    const { sql, parameters } = olderQuery(caller, search, null, periods, { limit: 9, offset: 0 });

    const plan = await world.sql<{ 'QUERY PLAN': string }>(`explain (analyze) ${sql}`, [...parameters]);

    const scan = plan.map((row) => row['QUERY PLAN']).find((line) => line.includes('Scan on post_words'));
    expect(scan).toMatch(new RegExp(`loops=${full + 1}\\)`));
    expect(periods.length).toBeGreaterThan(full + 5);
  });
});
