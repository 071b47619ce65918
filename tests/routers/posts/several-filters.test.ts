/**
 * Lists that are read in steps give the same posts as a look at each post does
 * (docs/decisions/0149-read-several-filters-along-the-sparsest-index.md).
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../../services/access/caller.ts';
import { isReadInSteps, matchesQuery, partQuery, readMatches } from '../../../services/posts/read-matches.ts';
import type { Context } from '../../../services/context.ts';
import { earliestId } from '../../../services/ids.ts';
import { filteredPosts, NAMED_MAX } from '../../../services/posts/filtered-posts.ts';
import { POST_ID } from '../../../services/posts/post-view.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** More than the first two steps read. */
const POSTS = 4_000;

/** Posts before this one are a customer's who left: another connection and profile, and another tag. */
const OLD = 1_000;

/** Posts are accepted some minutes apart, more than the times in ids differ from those. */
const acceptedAt = (n: number) => new Date(START.getTime() + n * 300_000);
const idOf = (n: number) => earliestId(acceptedAt(n));

let key: string;
let accountId: string;
const connections: Record<string, string> = {};
const profiles: Record<string, string> = {};

interface Stored {
  readonly id: string;
  readonly connection: string;
  readonly profile: string;
  readonly status: string;
  readonly platform: string;
  readonly tags: readonly string[];
  readonly text: string;
  readonly created_at: string;
}

/** From the newest on. */
const stored: readonly Stored[] = Array.from({ length: POSTS }, (_, index) => {
  const n = POSTS - 1 - index;
  const isOld = n < OLD;
  return {
    id: idOf(n),
    connection: isOld ? 'old-bells' : n % 2 === 0 ? 'bells' : 'chimes',
    profile: isOld ? 'left' : 'stayed',
    status: n % 1_250 === 7 ? 'failed' : n >= POSTS - 100 ? 'scheduled' : 'sent',
    platform: n % 2 === 0 ? 'sandbox' : 'x',
    tags: [...(n % 3 > 0 ? ['news'] : []), ...(isOld ? ['jubilee'] : []), ...(n % 1_000 === 3 ? ['rare'] : [])],
    text: n % 4 === 0 ? 'ding' : 'dong',
    created_at: acceptedAt(n).toISOString(),
  };
});

beforeAll(async () => {
  ({ key, id: accountId } = await makeAccount(world));
  for (const slug of ['bells', 'chimes', 'old-bells'])
    connections[slug] = (await connectSandbox(world, { key, slug })).id;
  for (const name of ['left', 'stayed']) profiles[name] = (await world.profile(name, accountId)).id;
  const rows = stored.map((post) => ({
    ...post,
    connection_id: connections[post.connection],
    profile_id: profiles[post.profile],
  }));
  await world.sql(
    `insert into posts (id, account_id, profile_id, connection_id, connection_slug, platform_id, mode, status, text, original_text, tags, thread, created_at)
     select id, $1, profile_id, connection_id, connection, platform, 'live', status, text, text, tags, '{}', created_at
     from jsonb_to_recordset($2::jsonb) as r(id uuid, profile_id uuid, connection_id uuid, connection text, platform text, status text, text text, tags text[], created_at timestamptz)`,
    [accountId, JSON.stringify(rows)],
  );
  await world.sql(
    `insert into post_tags (post_id, tag, account_id) select p.id, t.tag, p.account_id from posts p, unnest(p.tags) as t(tag)
     where p.account_id = $1`,
    [accountId],
  );
  await world.sql(
    `insert into post_words (post_id, words)
     select id, array_to_tsvector(array['account ' || account_id::text]) || to_tsvector('simple', text) from posts where account_id = $1`,
    [accountId],
  );
  await world.sql('analyze posts');
  await world.sql('analyze post_tags');
});

type Filter = Readonly<Record<string, string>>;

/** Each value of each filter. */
const FILTERS: readonly Filter[] = [
  { tag: 'news' },
  { tag: 'jubilee' },
  { tag: 'rare' },
  { status: 'sent' },
  { status: 'failed' },
  { status: 'scheduled' },
  { status: 'draft' },
  { profileId: 'left' },
  { profileId: 'stayed' },
  { platform: 'sandbox' },
  { platform: 'x' },
  { connection: 'bells' },
  { connection: 'old-bells' },
];

const pairs = FILTERS.flatMap((one, index) =>
  FILTERS.slice(index + 1)
    .filter((other) => Object.keys(other)[0] !== Object.keys(one)[0])
    .map((other) => ({ filter: { ...one, ...other }, name: JSON.stringify({ ...one, ...other }) })),
);

const matching = ({ tag, status, profileId, platform, connection, q }: Filter) =>
  stored
    .filter((post) => tag === undefined || post.tags.includes(tag))
    .filter((post) => status === undefined || post.status === status)
    .filter((post) => profileId === undefined || post.profile === profileId)
    .filter((post) => platform === undefined || post.platform === platform)
    .filter((post) => connection === undefined || post.connection === connection)
    .filter((post) => q === undefined || post.text === q)
    .map(({ id }) => id);

interface Page {
  readonly ids: readonly string[];
  readonly nextCursor: string | null;
}

async function list(filter: Filter): Promise<Page> {
  const { profileId } = filter;
  const asked = { ...filter, ...(profileId !== undefined && { profileId: profiles[profileId] ?? profileId }) };
  const { status, body } = await world.rest(`GET /posts?${new URLSearchParams(asked).toString()}`, { key });
  expect(status).toBe(200);
  return { ids: body.posts.map(({ id }: { id: string }) => id), nextCursor: body.nextCursor };
}

describe('a list by two filters', () => {
  it.each(pairs)('gives the newest posts that match both, by cursor and by offset: $name', async ({ filter }) => {
    const all = matching(filter);
    const limit = '60';

    const first = await list({ ...filter, limit });
    const cursor = all[99];
    const next = cursor === undefined ? null : await list({ ...filter, limit, cursor });
    const [near, far] = [
      await list({ ...filter, limit, offset: '1100' }),
      await list({ ...filter, limit, offset: '2600' }),
    ];

    expect(first.ids).toEqual(all.slice(0, 60));
    expect(first.nextCursor).toBe(all.length > 60 ? all[59] : null);
    expect(next?.ids ?? []).toEqual(all.slice(100, 160));
    expect(near.ids).toEqual(all.slice(1_100, 1_160));
    expect(far.ids).toEqual(all.slice(2_600, 2_660));
  });

  it('may have two tags, or as one filter what a key reaches', async () => {
    const ofTags = await world.rest('GET /posts?tag=news&tag=rare&limit=100', { key });
    const scoped = await world.key({ profileId: profiles['left'] ?? null, accountId });
    const ofKey = await world.rest('GET /posts?tag=news&limit=100', { key: scoped.secret });

    const idsOf = ({ body }: { body: { posts: { id: string }[] } }) => body.posts.map(({ id }) => id);
    expect(idsOf(ofTags)).toEqual(matching({ tag: 'news' }).filter((id) => matching({ tag: 'rare' }).includes(id)));
    expect(idsOf(ofKey)).toEqual(matching({ tag: 'news', profileId: 'left' }).slice(0, 100));
  });

  it('has words too', async () => {
    const filter = { tag: 'news', profileId: 'left', q: 'ding' };

    expect((await list({ ...filter, limit: '100' })).ids).toEqual(matching(filter).slice(0, 100));
    expect((await list({ ...filter, limit: '100', offset: '100' })).ids).toEqual(matching(filter).slice(100, 200));
  });

  it('begins and ends at the times that it is limited to', async () => {
    const filter = { tag: 'news', status: 'sent' };
    const [from, to] = [acceptedAt(2_000), acceptedAt(2_600)].map((instant) => instant.toISOString());
    const within = matching(filter).filter((id) => id >= idOf(2_000) && id <= idOf(2_600));

    const page = await list({ ...filter, from: from ?? '', to: to ?? '', limit: '100', offset: '350' });
    const none = await list({ ...filter, from: acceptedAt(POSTS).toISOString() });

    expect(within).toHaveLength(400);
    expect(page).toEqual({ ids: within.slice(350), nextCursor: null });
    expect(none).toEqual({ ids: [], nextCursor: null });
  });
});

describe('a list that is read while posts change', () => {
  it('leaves out none, when another post gets a status that is being read', async () => {
    const changed = idOf(3_757);
    let queries = 0;
    const run = async (sql: string, values: readonly unknown[]) => {
      const rows = await world.sql(sql, [...values]);
      queries += 1;
      // Between the query that finds what a step reads, and the one that reads it.
      if (queries === 1) await world.sql(`update posts set status = 'sent' where id = $1`, [changed]);
      return { rows };
    };
    const context = { db: { queries: { ...world.db.queries, run } } } as unknown as Context;
    const caller = { accountId, profileId: null, mode: 'live' } as Caller;
    const filter = { status: 'sent', from: acceptedAt(0) } as const;

    const rows = await readMatches(context, caller, filter, null, { limit: 700, offset: 0 }, POST_ID);

    await world.sql(`update posts set status = 'failed' where id = $1`, [changed]);
    const before = matching({ status: 'sent' });
    expect(queries).toBe(4);
    expect(rows.map(({ id }) => id)).toEqual([...before, changed].toSorted().toReversed().slice(0, 700));
  });
});

describe('a list by a slug that every customer has', () => {
  const customers = NAMED_MAX + 5;
  let ofCustomer: { key: string; ids: string[] };
  let whole: { key: string; ids: string[] };

  beforeAll(async () => {
    const { key: own, id } = await makeAccount(world);
    const ids: string[][] = [];
    const owners: string[] = [];
    for (let n = 0; n < customers; n += 1) {
      const profileId = (await world.profile(`customer ${n}`, id)).id;
      const connection = await connectSandbox(world, { key: own, slug: 'shop', profileId });
      const other = n === 0 ? await connectSandbox(world, { key: own, slug: 'other', profileId }) : connection;
      owners.push(profileId);
      const rows = await world.sql<{ id: string }>(
        `insert into posts (id, account_id, profile_id, connection_id, connection_slug, platform_id, mode, status, text, original_text, tags, thread, created_at)
         select r.id, $1, $2, case when r.n % 2 = 0 then $3 else $4 end::uuid, 'shop', 'sandbox', 'live', case when r.n % 3 = 0 then 'failed' else 'sent' end, 'ding', 'ding',
           array['news'], '{}', r.created_at
         from jsonb_to_recordset($5::jsonb) as r(id uuid, n int, created_at timestamptz) returning id`,
        [
          id,
          profileId,
          connection.id,
          other.id,
          JSON.stringify(
            Array.from({ length: 40 }, (_, place) => {
              const created = acceptedAt(place * customers + n);
              return { id: earliestId(new Date(created.getTime() + 1)), n: place, created_at: created.toISOString() };
            }),
          ),
        ],
      );
      ids.push(
        rows
          .map((row) => row.id)
          .toSorted()
          .toReversed(),
      );
    }
    await world.sql(
      `insert into post_tags (post_id, tag, account_id) select p.id, t.tag, p.account_id from posts p, unnest(p.tags) as t(tag)
       where p.account_id = $1`,
      [id],
    );
    const scoped = await world.key({ profileId: owners[0] ?? null, accountId: id });
    ofCustomer = { key: scoped.secret, ids: (ids[0] ?? []).filter((_, place) => place % 2 === 1) };
    const all = ids.flatMap((some, n) => (n === 0 ? some.filter((_, place) => place % 2 === 1) : some));
    whole = { key: own, ids: all.toSorted().toReversed() };
  });

  const idsOf = async (query: string, secret: string) =>
    (await world.rest(`GET /posts?connection=shop&limit=100&${query}`, { key: secret })).body.posts.map(
      ({ id }: { id: string }) => id,
    );

  it.each([
    [NAMED_MAX, 2],
    [NAMED_MAX + 1, 1],
  ])('is read along its customer alone if the slug has more than so many connections: %i', (count, indexes) => {
    const caller = { accountId, profileId: idOf(0), mode: 'live' } as Caller;
    const named = Array.from({ length: count }, (_, n) => idOf(n));

    expect(filteredPosts(caller, {}, named).indexes).toHaveLength(indexes);
    expect(isReadInSteps(caller, {}, named)).toBe(true);
  });

  it.each(['', 'tag=news', 'from=2026-11-01'])(
    'gives the posts that a key of one customer reaches: %s',
    async (query) => {
      expect(await idsOf(query, ofCustomer.key)).toEqual(ofCustomer.ids);
      expect(await idsOf(`${query}&offset=5`, ofCustomer.key)).toEqual(ofCustomer.ids.slice(5));
    },
  );

  it.each(['', 'tag=news'])('gives the posts of all customers to a key of the account: %s', async (query) => {
    expect(await idsOf(query, whole.key)).toEqual(whole.ids.slice(0, 100));
    expect(await idsOf(`${query}&offset=100`, whole.key)).toEqual(whole.ids.slice(100, 200));
  });
});

describe('a list by one filter', () => {
  it.each(FILTERS.map((filter) => ({ filter, name: JSON.stringify(filter) })))(
    'can have a first day: $name',
    async ({ filter }) => {
      const all = matching(filter).filter((id) => id >= idOf(900));
      const from = acceptedAt(900).toISOString();

      const first = await list({ ...filter, from, limit: '60' });
      const last = await list({ ...filter, from, limit: '60', offset: String(Math.max(all.length - 30, 0)) });

      expect(first.ids).toEqual(all.slice(0, 60));
      expect(last).toEqual({ ids: all.slice(-30), nextCursor: null });
    },
  );
});

describe('the database', () => {
  interface PlanNode {
    readonly 'Index Name'?: string;
    readonly 'Actual Loops': number;
    readonly 'Actual Rows': number;
    readonly Plans?: readonly PlanNode[];
  }

  const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

  /** Runs a query. @returns the node of its plan that reads an index */
  async function nodesIn({ sql, parameters }: ReturnType<typeof partQuery>) {
    const [row] = await world.sql<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${sql}`,
      parameters,
    );
    const nodes = nodesOf(row?.['QUERY PLAN'][0].Plan ?? { 'Actual Loops': 0, 'Actual Rows': 0 });
    return (index: string) => nodes.find((node) => node['Index Name'] === index);
  }

  it('looks up no more posts than the rarest filter has, however many another matches', async () => {
    const caller = { accountId, profileId: null, mode: 'live' } as Caller;
    const filter = { tag: ['news'], status: 'failed' } as const;
    const first = partQuery(caller, filter, null, 500);
    const [part] = await world.sql<{ place: number; newest: string; oldest: null }>(first.sql, first.parameters);
    expect(part).toEqual({ place: 1, newest: idOf(3_757), oldest: null });
    if (part === undefined) return;
    const step = { part, entries: 500, wanted: { limit: 26, offset: 0 }, selected: 'posts.id' };
    const node = await nodesIn(matchesQuery(caller, filter, null, step));

    expect(node('posts_account_id_status_id_index')?.['Actual Loops']).toBe(1);
    expect(node('posts_pkey')?.['Actual Loops']).toBe(4);
  });

  it('reads no posts that are too old, however many there are', async () => {
    const caller = { accountId, profileId: null, mode: 'live' } as Caller;
    const filter = { status: 'sent', from: acceptedAt(POSTS - 120) } as const;
    const first = partQuery(caller, filter, null, 500);
    const [part] = await world.sql<{ place: number; newest: string; oldest: null }>(first.sql, first.parameters);
    expect(part).toEqual({ place: 0, newest: idOf(POSTS - 101), oldest: null });
    if (part === undefined) return;
    const step = { part, entries: 500, wanted: { limit: 26, offset: 0 }, selected: 'posts.id' };

    const node = await nodesIn(matchesQuery(caller, filter, null, step));

    expect(node('posts_account_id_status_id_index')?.['Actual Rows']).toBe(500);
  });
});
