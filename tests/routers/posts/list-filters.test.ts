/** The filters of GET /posts, alone and combined, and pages by cursor (docs/contract/errors-and-limits.md#lists). */
import { beforeAll, describe, expect, it } from 'vitest';
import { plainQuery, postsQuery } from '../../../services/posts/list-posts.ts';
import { periodsBefore } from '../../../services/posts/periods.ts';
import { olderQuery } from '../../../services/posts/search-posts.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox, storeBluesky } from '../../harness/connections.ts';
import { UNKNOWN_ID } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { query } from '../../harness/query.ts';
import { START } from '../../harness/test-clock.ts';
import { createProfile } from '../../harness/profiles.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const DAY_MS = 86_400_000;

let key: string;
let accountId: string;
const ids: Record<string, string> = {};
const connections: Record<string, string> = {};

const list = (filter: Record<string, string> = {}, by = key) =>
  world.rest(`GET /posts?${new URLSearchParams(filter).toString()}`, { key: by });
const idsIn = ({ body }: { body: { posts: { id: string }[] } }) => body.posts.map(({ id }) => id);
const named = (...names: string[]) => names.map((name) => ids[name]);

beforeAll(async () => {
  ({ key, id: accountId } = await makeAccount(world));
  const profile = await world.profile('Acme', accountId);
  connections['own'] = (await connectSandbox(world, { key, slug: 'bells' })).id;
  connections['theirs'] = (await connectSandbox(world, { key, slug: 'bells', profileId: profile.id })).id;
  const post = async (name: string, text: string, fields: object = {}) => {
    ids[name] = (await makePost(world, 'bells', { key, text, ...fields })).postId;
  };
  await post('first', 'The Bell-Ringer’s news: #launch at https://bells.example/now');
  world.clock.advance(DAY_MS);
  await post('second', 'Zwei Glöckchen läuten', { tags: ['news'] });
  await post('theirs', 'Bell of a customer', { profileId: profile.id });
  world.clock.advance(DAY_MS);
  await post('last', 'The last BELL');
});

describe('connection', () => {
  it('is an id, or a slug, which can match several connections', async () => {
    expect(idsIn(await list({ connection: connections['theirs'] ?? '' }))).toEqual(named('theirs'));
    expect(idsIn(await list({ connection: connections['own'] ?? '' }))).toEqual(named('last', 'second', 'first'));
    expect(idsIn(await list({ connection: 'bells' }))).toEqual(named('last', 'theirs', 'second', 'first'));
  });

  it('matches nothing if it is unknown, belongs to another account or is not a valid slug', async () => {
    const foreign = await connectSandbox(world, { slug: 'foreign-bells' });

    const answers = await Promise.all(
      [UNKNOWN_ID, foreign.id, 'foreign-bells', 'No Slug!', '%'].map((connection) => list({ connection })),
    );

    expect(answers.map((answer) => [answer.status, idsIn(answer)])).toEqual(Array.from({ length: 5 }, () => [200, []]));
  });

  it('still matches the posts of a connection that was renamed or deleted', async () => {
    const { key: other } = await makeAccount(world);
    const made = await connectSandbox(world, { key: other, slug: 'old-name' });
    const { postId } = await makePost(world, 'old-name', { key: other });
    await world.rest(`PATCH /connections/${made.id}/settings`, { key: other, body: { slug: 'new-name' } });
    const renamed = await list({ connection: 'new-name' }, other);
    await world.rest(`DELETE /connections/${made.id}`, { key: other });
    const deleted = await list({ connection: 'new-name' }, other);

    expect([idsIn(renamed), idsIn(deleted)]).toEqual([[postId], [postId]]);
  });
});

describe('platform', () => {
  it('matches only the posts of that platform', async () => {
    const { id, key: other } = await makeAccount(world);
    await connectSandbox(world, { key: other, slug: 'sandbox' });
    const bluesky = await storeBluesky(world, id);
    const { postId } = await makePost(world, 'sandbox', { key: other });
    const draft = await world.rest('POST /posts', {
      key: other,
      body: { text: 'Hello', connectionSlugs: [bluesky.slug], isDraft: true },
    });

    const answers = await Promise.all(['sandbox', 'bluesky', 'x'].map((platform) => list({ platform }, other)));

    expect(answers.map(idsIn)).toEqual([[postId], [draft.body.results[0].postId], []]);
  });

  it('must be a known platform', async () => {
    const { status, body } = await list({ platform: 'myspace' });

    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('from and to', () => {
  const day = (days: number) => new Date(START.getTime() + days * DAY_MS).toISOString().slice(0, 10);
  const instant = (ms: number) => new Date(START.getTime() + ms).toISOString();

  it('are days in UTC, both inclusive', async () => {
    expect(idsIn(await list({ from: day(1) }))).toEqual(named('last', 'theirs', 'second'));
    expect(idsIn(await list({ to: day(1) }))).toEqual(named('theirs', 'second', 'first'));
    expect(idsIn(await list({ from: day(1), to: day(1) }))).toEqual(named('theirs', 'second'));
    expect(idsIn(await list({ from: day(2), to: day(1) }))).toEqual([]);
  });

  it('can be instants too, to the millisecond', async () => {
    expect(idsIn(await list({ to: instant(0) }))).toEqual(named('first'));
    expect(idsIn(await list({ to: instant(-1) }))).toEqual([]);
    expect(idsIn(await list({ from: instant(2 * DAY_MS) }))).toEqual(named('last'));
    expect(idsIn(await list({ from: instant(2 * DAY_MS + 1) }))).toEqual([]);
    expect(idsIn(await list({ from: '0001-01-01', to: '9999-12-31T23:59:59.999Z' }))).toHaveLength(4);
  });

  it.each(['yesterday', '2026-02-30', '2026-11-21T10:00', ''])('refuse %j', async (from) => {
    const { status, body } = await list({ from });

    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('q', () => {
  it.each([
    ['bell', ['last', 'theirs', 'first']],
    ['BELL last', ['last']],
    ['glöckchen', ['second']],
    ['#launch', ['first']],
    ['ringer', ['first']],
    ['bells.example', ['first']],
    ['bel', []],
    ['bell nothing', []],
  ])('matches the texts that contain all words of %j', async (q, names) => {
    expect(idsIn(await list({ q }))).toEqual(named(...names));
  });

  it.each([
    "'",
    '"',
    '& | ! <-> :* ()',
    "bell' & 'x",
    '-bell | nowhere',
    '!!!',
    '   ',
    '\\',
    '%_',
    '𐍈 🔔',
    `account ${UNKNOWN_ID}`,
    'x'.repeat(1000),
    ':Z',
  ])('accepts %j, although it has a meaning in a query language', async (q) => {
    const { status, body } = await list({ q });

    expect(status).toBe(200);
    expect(body.posts).toEqual([]);
  });

  it.each([
    ['a NUL', 'a\u0000b'],
    ['nothing', ''],
    ['1,001 characters', 'x'.repeat(1001)],
  ])('refuses %s', async (_name, q) => {
    const { status, body } = await list({ q });

    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('never matches another account’s posts, also for the internal account token', async () => {
    const { key: other } = await makeAccount(world);

    const answers = await Promise.all(['bell', `account ${accountId}`, accountId].map((q) => list({ q }, other)));

    expect(answers.map(idsIn)).toEqual([[], [], []]);
  });

  it('matches the current text of a draft', async () => {
    const { key: other } = await makeAccount(world);
    await connectSandbox(world, { key: other, slug: 'sandbox' });
    const { body } = await world.rest('POST /posts', {
      key: other,
      body: { text: 'Before', connectionSlugs: ['sandbox'], isDraft: true },
    });
    const [{ postId }] = body.results;
    await world.rest(`PATCH /posts/${postId}`, { key: other, body: { text: 'Afterwards' } });

    const [before, after] = [await list({ q: 'before' }, other), await list({ q: 'afterwards' }, other)];
    await world.rest(`DELETE /posts/${postId}`, { key: other });
    const gone = await list({ q: 'afterwards' }, other);

    expect([before, after, gone].map(idsIn)).toEqual([[], [postId], []]);
  });

  it('accepts any text that can be stored', async () => {
    const longest = [
      Array.from({ length: 25_000 }, (_, n) => `${n.toString(36).padStart(3, 'é')}-`).join(''),
      'ȺȾ-'.repeat(33_333),
      `https://a.example/${'x'.repeat(2_000)} `.repeat(49),
      'x'.repeat(100_000),
    ];
    for (const text of longest) {
      const [row] = await world.sql<{ words: number }>(`select length(to_tsvector('simple', $1::text)) as words`, [
        text,
      ]);
      expect(row?.words).toBeGreaterThanOrEqual(0);
    }
  });
});

describe('combined filters', () => {
  it('must all match', async () => {
    expect(idsIn(await list({ q: 'bell', connection: 'bells', platform: 'sandbox', from: '2026-11-22' }))).toEqual(
      named('last', 'theirs'),
    );
    expect(idsIn(await list({ tag: 'news', q: 'läuten', connection: 'bells', status: 'sent' }))).toEqual(
      named('second'),
    );
    expect(idsIn(await list({ tag: 'news', q: 'bell' }))).toEqual([]);
  });
});

describe('cursor', () => {
  const through = async (filter: Record<string, string>) => {
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const answer = await list({ ...filter, limit: '1', ...(cursor === null ? {} : { cursor }) });
      pages.push(idsIn(answer));
      cursor = answer.body.nextCursor;
    } while (cursor !== null);
    return pages.flat();
  };

  it.each([
    ['nothing', {}, ['last', 'theirs', 'second', 'first']],
    ['a slug of two connections', { connection: 'bells' }, ['last', 'theirs', 'second', 'first']],
    ['words', { q: 'bell' }, ['last', 'theirs', 'first']],
    ['a tag', { tag: 'news' }, ['second']],
    ['a platform and a time', { platform: 'sandbox', from: '2026-11-22' }, ['last', 'theirs', 'second']],
    ['a status', { status: 'sent' }, ['last', 'theirs', 'second', 'first']],
    ['a status and a day', { status: 'sent', from: '2026-11-22', to: '2026-11-22' }, ['theirs', 'second']],
    ['a status that no post has', { status: 'scheduled' }, []],
  ])('lists every post once, filtered by %s', async (_name, filter, names) => {
    expect(await through(filter as Record<string, string>)).toEqual(named(...names));
  });

  it('keeps its position when new posts arrive', async () => {
    const { key: other } = await makeAccount(world);
    await connectSandbox(world, { key: other, slug: 'sandbox' });
    const [one, two] = [
      await makePost(world, 'sandbox', { key: other }),
      await makePost(world, 'sandbox', { key: other }),
    ];
    const first = await list({ limit: '1' }, other);
    await makePost(world, 'sandbox', { key: other });

    const second = await list({ limit: '1', cursor: first.body.nextCursor }, other);

    expect([idsIn(first), idsIn(second), second.body.nextCursor]).toEqual([[two.postId], [one.postId], null]);
  });

  it('cannot be combined with an offset, and must be an id', async () => {
    const both = await list({ cursor: UNKNOWN_ID, offset: '1' });
    const malformed = await list({ cursor: 'next' });

    expect([both.status, both.body.message]).toEqual([
      400,
      'cursor: cannot be combined with offset; send one of the two.',
    ]);
    expect([malformed.status, malformed.body.message]).toEqual([400, 'cursor: expected a UUID.']);
  });
});

describe('the database', () => {
  it('uses an index for each filter', async () => {
    await using full = await startWorld();
    const { id } = await makeAccount(full);
    await full.sql(
      `insert into connections (id, account_id, platform_id, slug, description, timezone, queue_slots, platform_account_id, handle, created_at)
       select lpad(to_hex(n), 32, 'c')::uuid, $1, 'sandbox', 'bells-' || n, 'Bells', 'UTC', '[]', n::text, 'bells', $2
       from generate_series(0, 99) n`,
      [id, START],
    );
    await full.sql(
      `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text, tags, thread, created_at)
       select lpad(to_hex(n), 32, '0')::uuid, case n % 100 when 0 then $1::uuid else a.id end, lpad(to_hex(n / 200), 32, 'c')::uuid, 'bells',
         case n / 100 when 3 then 'x' else 'sandbox' end, 'live', 'sent', 'Ding ' || n, 'Ding ' || n, '{}', '{}', $2
       from generate_series(0, 19999) n, (select id from accounts order by id limit 1) a`,
      [id, START],
    );
    await full.sql(
      `insert into post_words (post_id, words)
       select id, array_to_tsvector(array['account ' || account_id::text]) || to_tsvector('simple', text) from posts`,
    );
    await full.sql(`insert into post_tags (post_id, tag, account_id) select id, 'news', account_id from posts`);
    // Autovacuum, and the maintenance of the embedded database, do this after enough changes.
    await full.sql(`select gin_clean_pending_list('post_words_search_index')`);
    await full.sql('analyze posts');
    await full.sql('analyze post_words');
    await full.sql('analyze post_tags');
    const caller = { accountId: id, profileId: null, mode: 'live' } as Parameters<typeof postsQuery>[0];
    const planOf = async (filter: object, connectionIds: string[] | null = null) => {
      return explained(postsQuery(caller, { limit: 25, offset: 0, ...filter }, connectionIds));
    };
    const explained = async ({ sql, parameters }: ReturnType<typeof postsQuery>) => {
      const plan = await full.sql<{ 'QUERY PLAN': string }>(`explain ${sql}`, parameters);
      return plan.map((row) => row['QUERY PLAN']).join('\n');
    };
    const connection = (n: number) => n.toString(16).padStart(32, 'c');

    expect(await planOf({})).toMatch(/Index Scan (Backward )?using posts_account_id_id_index/);
    expect(await planOf({ cursor: UNKNOWN_ID })).toMatch(/Index Cond: .*id < /);
    expect(await planOf({ platform: 'x' })).toMatch(/posts_account_id_platform_id_id_index/);
    expect(await planOf({}, [connection(3)])).toMatch(/posts_connection_id_id_index/);
    expect(await planOf({}, [connection(3), connection(4)])).toMatch(/posts_connection_id_id_index/);
    // Sorted, every post with the tag would be looked up first.
    const tagged = await planOf({ tag: ['news'] });
    expect([tagged.includes('post_tags_account_id_tag_post_id_index'), tagged.includes('Sort')]).toEqual([true, false]);
    const words = { q: '760', limit: 25, offset: 0, cursor: UNKNOWN_ID };
    const periods = periodsBefore(UNKNOWN_ID, UNKNOWN_ID, null);
    const search = await explained(olderQuery(caller, words, null, periods, { limit: 26, offset: 0 }));
    // Without the condition on periods, every post with the words would be read.
    expect(search).toMatch(/Index Cond: .*left.* AND .*760/);
    expect(await planOf({ from: START, until: new Date(START.getTime() + 1) })).toMatch(/Index Cond: .*id >= /);
  });

  it('reads along an index of the account also when that has most posts, which may all be old', async () => {
    await using full = await startWorld();
    const { id: large } = await makeAccount(full);
    const { id: profileId } = await createProfile(full, full.liveKey);
    const { id: connectionId } = await connectSandbox(full, { key: full.liveKey, slug: 'bells' });
    await full.sql(
      `insert into posts (id, account_id, profile_id, connection_id, connection_slug, platform_id, mode, status, text, original_text, tags, thread, created_at)
       select lpad(to_hex(n), 32, '0')::uuid, $1, case when old then $2::uuid end, $3, 'bells', case when old then 'sandbox' else 'x' end,
         'live', case when old then 'sent' else 'scheduled' end, 'Ding', 'Ding', '{news}', '{}', $4
       from (select n, n <= 19500 as old from generate_series(1, 20000) n) numbers`,
      [large, profileId, connectionId, START],
    );
    await full.sql(
      `insert into post_tags (post_id, tag, account_id) select id, 'news', account_id from posts where status = 'sent'`,
    );
    await full.sql('analyze posts');
    await full.sql('analyze post_tags');
    const account = { accountId: large, profileId: null, mode: 'live' } as Parameters<typeof postsQuery>[0];
    const planOf = async (filter: object, caller = account) => {
      const { sql, parameters } = postsQuery(caller, { limit: 25, offset: 0, ...filter }, null);
      const plan = await full.sql<{ 'QUERY PLAN': string }>(`explain ${sql}`, parameters);
      return plan.map((row) => row['QUERY PLAN']).join('\n');
    };

    expect(await planOf({ offset: 1 })).toMatch(/posts_account_id_id_index/);
    expect(await planOf({ status: 'sent' })).toMatch(/posts_account_id_status_id_index/);
    expect(await planOf({ platform: 'sandbox' })).toMatch(/posts_account_id_platform_id_id_index/);
    expect(await planOf({ profileId })).toMatch(/posts_account_id_profile_id_id_index/);
    expect(await planOf({}, { ...account, profileId })).toMatch(/posts_account_id_profile_id_id_index/);
    // A page deep in the list begins at its cursor, not at the end of the days that it is limited to.
    const cursor = '00000000-0000-0000-0000-000000000100';
    const page = await planOf({ status: 'sent', cursor, until: START });
    expect(page).toMatch(new RegExp(`posts_account_id_status_id_index[^]*< ROW\\('sent'::text, '${cursor}'::uuid\\)`));
    expect(await planOf({ tag: ['news'] })).toMatch(/post_tags_account_id_tag_post_id_index/);
  });

  it('keeps the plan of the plain page, which reads along the account, also for an account with few posts', async () => {
    await using full = await startWorld();
    const { id: large } = await makeAccount(full);
    const { id: small } = await makeAccount(full);
    const { id: connectionId } = await connectSandbox(full, { key: full.liveKey, slug: 'bells' });
    await full.sql(
      `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text, tags, thread, created_at)
       select lpad(to_hex(n), 32, '0')::uuid, case n when 1 then $2::uuid else $1::uuid end, $3, 'bells', 'sandbox', 'live', 'sent', 'Ding', 'Ding', '{}', '{}', $4
       from generate_series(1, 5000) n`,
      [large, small, connectionId, START],
    );
    await full.sql('analyze posts');
    const caller = { accountId: large, profileId: null, mode: 'live' } as Parameters<typeof plainQuery>[0];
    const { sql } = plainQuery(caller, { limit: 25, offset: 0 }, null) ?? { sql: '' };

    const [plans, plan] = await full.db.em().transactional(async (em) => {
      await query(em, `prepare page as ${sql}`);
      for (let count = 0; count < 6; count += 1) await query(em, `execute page('{${large}}')`);
      const kept = await query(em, `select generic_plans from pg_prepared_statements where name = 'page'`);
      const explained = await query<{ 'QUERY PLAN': string }>(em, `explain execute page('{${small}}')`);
      await query(em, 'deallocate page');
      return [kept, explained.map((row) => row['QUERY PLAN']).join('\n')];
    });

    expect(plans).toEqual([{ generic_plans: expect.toBeOneOf([1, '1']) }]);
    expect(plan).toMatch(/Index Scan Backward using posts_account_id_id_index/);
    expect(plan).toMatch(/Index Cond: \(account_id = ANY \(\$1\)\)/);
  });
});
