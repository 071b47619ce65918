/** GET /calendar lists posts by the time at which they go out or went out (docs/contract/scheduling.md#calendar). */
import { beforeAll, describe, expect, it } from 'vitest';
import { earliestId } from '../../../services/ids.ts';
import { calendarRows } from '../../../services/posts/calendar-rows.ts';
import { hasMorePosts, planCalendar } from '../../../services/posts/plan-calendar.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { accountWithSandbox, connectSandbox, storeBluesky } from '../../harness/connections.ts';
import { refusal, UNKNOWN_ID } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

const DAY_MS = 86_400_000;

type Row = { id: string; text: string; at: string };
type Search = Record<string, string> | string[][];

const read = (search: Search, key?: string) =>
  world.rest(`GET /calendar?${new URLSearchParams(search).toString()}`, key === undefined ? {} : { key });

/** The instant so many milliseconds from now. */
const inMs = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();
const dayIn = (days: number) => inMs(days * DAY_MS).slice(0, 10);
const textsIn = ({ body }: { body: { posts: Row[] } }) => body.posts.map(({ text }) => text);

/** The range that every post of these tests is in. */
const around = () => ({ from: dayIn(-20), to: dayIn(31) });

async function draft(key: string, text: string, fields: object = {}): Promise<string> {
  const { body } = await world.rest('POST /posts', {
    key,
    body: { text, connectionSlugs: ['sandbox'], isDraft: true, ...fields },
  });
  return body.results[0].postId;
}

const publish = (postId: string, key: string, body: object = {}) =>
  world.rest(`POST /posts/${postId}/publish`, { key, body });

describe('200', () => {
  it('returns every field of scheduled, processing, sent and failed posts, in order of time', async () => {
    const { key, connection } = await accountWithSandbox(world);
    await world.rest(`PATCH /connections/${connection.id}/queue`, {
      key,
      body: { slots: [{ weekday: 1, time: '09:00' }], timezone: 'UTC' },
    });
    const timed = await makePost(world, 'sandbox', { key, text: 'Timed', scheduledFor: inMs(5 * DAY_MS) });
    const { body: queued } = await world.rest('POST /posts', {
      key,
      body: { text: 'Queued', connectionSlugs: ['sandbox'], queue: true, tags: ['b', 'a'] },
    });
    const sent = await makePost(world, 'sandbox', { key, text: 'Sent' });
    const sentAt = world.clock.now().toISOString();
    world.clock.advance(1_000);
    const failed = await makePost(world, 'sandbox', { key, text: '[[reject]] Failed' });
    world.clock.advance(1_000);
    const processing = await makePost(world, 'sandbox', { key, text: 'Processing' });
    await world.sql(`update posts set status = 'processing', sent_at = null where id = $1`, [processing.postId]);

    const { status, body } = await read(around(), key);

    const common = {
      connectionId: connection.id,
      connectionSlug: 'sandbox',
      platformId: 'sandbox',
      profileId: null,
      queued: false,
      tags: [],
      scheduledFor: null,
      sentAt: null,
      error: null,
    };
    const [result] = queued.results;
    expect(status).toBe(200);
    expect(body).toEqual({
      posts: [
        { ...common, id: sent.postId, text: 'Sent', status: 'sent', at: sentAt, sentAt },
        {
          ...common,
          id: failed.postId,
          text: '[[reject]] Failed',
          status: 'failed',
          at: new Date(Date.parse(sentAt) + 1_000).toISOString(),
          error: failed.error,
        },
        {
          ...common,
          id: processing.postId,
          text: 'Processing',
          status: 'processing',
          at: new Date(Date.parse(sentAt) + 2_000).toISOString(),
        },
        {
          ...common,
          id: result.postId,
          text: 'Queued',
          status: 'scheduled',
          at: result.scheduledFor,
          scheduledFor: result.scheduledFor,
          queued: true,
          tags: ['b', 'a'],
        },
        {
          ...common,
          id: timed.postId,
          text: 'Timed',
          status: 'scheduled',
          at: timed.scheduledFor,
          scheduledFor: timed.scheduledFor,
        },
      ],
      nextCursor: null,
    });
  });

  it('shows a post that went out later than it was scheduled for when it went out', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: inMs(60_000) });
    const scheduledFor = inMs(60_000);
    await world.advance(120_000);

    const { body } = await read({ from: inMs(0), to: inMs(0) }, key);

    expect(body.posts).toEqual([expect.objectContaining({ id: postId, at: inMs(0), sentAt: inMs(0), scheduledFor })]);
    expect(textsIn(await read({ from: scheduledFor, to: scheduledFor }, key))).toEqual([]);
  });

  it('shows a draft that was published months after it was written when it goes out and when it went out', async () => {
    const { key } = await accountWithSandbox(world);
    const [now, later] = [await draft(key, 'Now'), await draft(key, 'Later')];
    world.clock.advance(100 * DAY_MS);
    await publish(now, key);
    await publish(later, key, { scheduledFor: inMs(2 * DAY_MS) });

    expect(textsIn(await read({ from: dayIn(0), to: dayIn(2) }, key))).toEqual(['Now', 'Later']);
    await world.advance(2 * DAY_MS);
    expect(textsIn(await read({ from: dayIn(0), to: dayIn(0) }, key))).toEqual(['Later']);
  });

  it('shows posts of a tag or a profile that waited for a month, that failed at once, and that went out at once', async () => {
    const { key, id: accountId } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    await connectSandbox(world, { key, slug: 'sandbox', profileId: profile.id });
    const fields = { tags: ['news'], profileId: profile.id };
    const late = await draft(key, 'Published after 40 days', fields);
    const moved = await draft(key, 'Scheduled after 40 days', fields);
    world.clock.advance(40 * DAY_MS);
    await publish(late, key);
    await publish(moved, key, { scheduledFor: inMs(DAY_MS) });
    world.clock.advance(1_000);
    await makePost(world, 'sandbox', { key, text: '[[reject]] Failed at once', ...fields });
    await makePost(world, 'sandbox', { key, text: 'At once', ...fields });

    const seen = await Promise.all([
      read({ ...around(), tag: 'news' }, key),
      read({ ...around(), profileId: profile.id }, key),
      read({ ...around(), connection: 'sandbox' }, key),
    ]);

    const texts = ['Published after 40 days', '[[reject]] Failed at once', 'At once', 'Scheduled after 40 days'];
    expect(seen.map(textsIn)).toEqual([texts, texts, texts]);
  });

  it('shows a failed post when it was due', async () => {
    const { key } = await accountWithSandbox(world);
    await makePost(world, 'sandbox', { key, text: '[[reject]] Due', scheduledFor: inMs(DAY_MS) });
    await world.advance(DAY_MS);

    const { body } = await read({ from: inMs(0), to: inMs(0) }, key);

    expect(body.posts).toEqual([
      expect.objectContaining({ text: '[[reject]] Due', status: 'failed', at: inMs(0), scheduledFor: inMs(0) }),
    ]);
  });

  it('leaves out drafts, cancelled posts and posts that were taken down', async () => {
    const { key } = await accountWithSandbox(world);
    await draft(key, 'Draft');
    const sent = await makePost(world, 'sandbox', { key, text: 'Taken down' });
    const waiting = await makePost(world, 'sandbox', { key, text: 'Cancelled', scheduledFor: inMs(DAY_MS) });
    for (const { postId } of [sent, waiting]) await world.rest(`DELETE /posts/${postId}`, { key });

    expect((await read(around(), key)).body).toEqual({ posts: [], nextCursor: null });
  });

  it('still shows the sent and failed posts of a deleted connection', async () => {
    const { key, connection } = await accountWithSandbox(world);
    await makePost(world, 'sandbox', { key, text: 'Sent' });
    await makePost(world, 'sandbox', { key, text: '[[reject]] Due', scheduledFor: inMs(DAY_MS) });
    await makePost(world, 'sandbox', { key, text: 'Waiting', scheduledFor: inMs(2 * DAY_MS) });
    await world.advance(DAY_MS);
    await world.rest(`DELETE /connections/${connection.id}`, { key });

    const { body } = await read(around(), key);

    expect(
      body.posts.map(({ text, connectionId }: { text: string; connectionId: string }) => [text, connectionId]),
    ).toEqual([
      ['Sent', connection.id],
      ['[[reject]] Due', connection.id],
    ]);
  });
});

describe('the range', () => {
  it('has days in UTC or instants, both ends included', async () => {
    const { key } = await accountWithSandbox(world);
    const at = `${dayIn(3)}T00:00:00.000Z`;
    await makePost(world, 'sandbox', { key, text: 'Midnight', scheduledFor: at });
    const justBefore = new Date(Date.parse(at) - 1).toISOString();

    for (const [from, to] of [
      [dayIn(3), dayIn(3)],
      [at, at],
      [dayIn(2), at],
      [at, dayIn(3)],
    ] as const)
      expect(textsIn(await read({ from, to }, key))).toEqual(['Midnight']);
    for (const [from, to] of [
      [dayIn(2), dayIn(2)],
      [dayIn(2), justBefore],
      [dayIn(4), dayIn(4)],
    ] as const)
      expect(textsIn(await read({ from, to }, key))).toEqual([]);
  });

  it.each([
    ['62 days', '2026-11-01', '2027-01-01'],
    ['62 days, also up to the last day of the calendar', '9999-10-31', '9999-12-31'],
    ['62 days, or one that is the last of the calendar', '9999-12-31', '9999-12-31'],
    ['62 days between two instants', '2026-11-01T12:00:00Z', '2027-01-02T12:00:00Z'],
  ])('has at most %s', async (_name, from, to) => {
    expect((await read({ from, to })).status).toBe(200);
  });

  it.each([
    ['63 days', '2026-11-01', '2027-01-02'],
    ['a millisecond more than 62 days', '2026-11-01T12:00:00Z', '2027-01-02T12:00:00.001Z'],
  ])('cannot have %s', async (_name, from, to) => {
    const { status, body } = await read({ from, to });

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_request', 'to: the range has 63 days; the limit is 62. Ask for a shorter range.'),
    );
  });

  it('cannot end before it begins', async () => {
    const { status, body } = await read({ from: '2026-11-02', to: '2026-11-01' });

    expect([status, body.message]).toEqual([
      400,
      'to: the range ends before it begins, at 2026-11-02T00:00:00.000Z. Send a later one, or an earlier from.',
    ]);
  });

  it.each([
    [{ to: '2026-11-01' }, 'from'],
    [{ from: '2026-11-01' }, 'to'],
    [{ from: 'today', to: '2026-11-01' }, 'from'],
  ])('needs both ends: %j is refused', async (search, field) => {
    const { status, body } = await read(search as Record<string, string>);

    expect([status, body.error, body.message.startsWith(`${field}:`)]).toEqual([400, 'invalid_request', true]);
  });
});

describe('the filters', () => {
  let key: string;
  let profileId: string;
  const connections: Record<string, string> = {};
  const filtered = async (search: Search) =>
    textsIn(await read([...Object.entries(around()), ...asPairs(search)], key));
  const asPairs = (search: Search) => (Array.isArray(search) ? search : Object.entries(search));

  beforeAll(async () => {
    let id: string;
    ({ key, id } = await makeAccount(world));
    profileId = (await world.profile('Acme', id)).id;
    const bluesky = await storeBluesky(world, id);
    connections['own'] = (await connectSandbox(world, { key, slug: 'bells' })).id;
    connections['theirs'] = (await connectSandbox(world, { key, slug: 'bells', profileId })).id;
    await makePost(world, 'bells', { key, text: 'Own', tags: ['news'] });
    await makePost(world, 'bells', { key, text: 'Theirs', tags: ['news', 'launch'], profileId });
    await makePost(world, 'bells', { key, text: '[[reject]] Own', tags: ['launch', 'news'] });
    await makePost(world, bluesky.slug, { key, text: 'Blue', scheduledFor: inMs(DAY_MS) });
  });

  it.each([
    ['nothing', {}, ['Own', 'Theirs', '[[reject]] Own', 'Blue']],
    ['a slug of two connections', { connection: 'bells' }, ['Own', 'Theirs', '[[reject]] Own']],
    ['an unknown connection', { connection: 'nowhere' }, []],
    ['a platform', { platform: 'bluesky' }, ['Blue']],
    ['a tag', { tag: 'launch' }, ['Theirs', '[[reject]] Own']],
    ['a tag that no post has', { tag: 'none' }, []],
    ['a tag and a platform', { tag: 'news', platform: 'bluesky' }, []],
    ['a tag and a slug', { tag: 'news', connection: 'bells' }, ['Own', 'Theirs', '[[reject]] Own']],
  ])('by %s', async (_name, search, texts) => {
    expect(await filtered(search as Record<string, string>)).toEqual(texts);
  });

  it('by two tags, of which a post must have both', async () => {
    expect(
      await filtered([
        ['tag', 'news'],
        ['tag', 'launch'],
      ]),
    ).toEqual(['Theirs', '[[reject]] Own']);
  });

  it('by profile, by id of a connection, and by both', async () => {
    expect(await filtered({ profileId })).toEqual(['Theirs']);
    expect(await filtered({ connection: connections['own'] ?? '' })).toEqual(['Own', '[[reject]] Own']);
    expect(await filtered({ connection: connections['own'] ?? '', profileId })).toEqual([]);
    expect(await filtered({ connection: 'bells', profileId })).toEqual(['Theirs']);
  });

  it('refuse an unknown profile', async () => {
    const { status, body } = await read({ ...around(), profileId: UNKNOWN_ID }, key);

    expect([status, body.message]).toEqual([400, `profileId: no profile of yours has the id ${UNKNOWN_ID}.`]);
  });
});

describe('keys', () => {
  it('reach the posts that they reach elsewhere: of the account, of a profile, of the sandbox', async () => {
    const account = await makeAccount(world);
    const { id: accountId, key } = account;
    const profile = await world.profile('Acme', accountId);
    const other = await world.profile('Other', accountId);
    const connection = await connectSandbox(world, { key, slug: 'bells', profileId: profile.id });
    const bluesky = await storeBluesky(world, accountId);
    await connectSandbox(world, { key, slug: 'own' });
    const testKey = (await world.key({ accountId, type: 'test' })).secret;
    const scoped = (await world.key({ accountId, profileId: profile.id })).secret;
    const scopedElsewhere = (await world.key({ accountId, profileId: other.id })).secret;
    await makePost(world, 'bells', { key, text: 'Of a profile', profileId: profile.id });
    await makePost(world, 'own', { key: testKey, text: 'In test mode' });
    await makePost(world, 'own', { key, text: '[[reject]] Own' });
    await makePost(world, bluesky.slug, { key, text: 'Waiting', scheduledFor: inMs(DAY_MS) });
    // Its posts stay with the profile that they were written under.
    await world.rest(`PATCH /connections/${connection.id}`, { key, body: { profileId: other.id } });

    const seen = async (by: string) => textsIn(await read(around(), by));

    expect(await seen(key)).toEqual(['Of a profile', 'In test mode', '[[reject]] Own', 'Waiting']);
    expect(await seen(testKey)).toEqual(['Of a profile', 'In test mode', '[[reject]] Own']);
    expect(await seen(scoped)).toEqual(['Of a profile']);
    expect(await seen(scopedElsewhere)).toEqual([]);
    expect(await seen((await makeAccount(world)).key)).toEqual([]);
  });
});

describe('pages', () => {
  it('go on after the last post, also among posts at one time, and after a post that has left since', async () => {
    const { key } = await accountWithSandbox(world);
    const scheduledFor = inMs(DAY_MS);
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1)
      ids.push((await makePost(world, 'sandbox', { key, scheduledFor })).postId);
    const first = await read({ ...around(), limit: '2' }, key);
    await world.rest(`DELETE /posts/${ids[1]}`, { key });

    const second = await read({ ...around(), limit: '2', cursor: first.body.nextCursor }, key);

    expect(first.body.nextCursor).toBe(`${scheduledFor}_${ids[1]}`);
    expect([first, second].map(({ body }) => body.posts.map(({ id }: Row) => id))).toEqual([
      ids.slice(0, 2),
      ids.slice(2),
    ]);
    expect(second.body.nextCursor).toBeNull();
  });

  it('begin where the range does, also with a cursor from before it', async () => {
    const { key } = await accountWithSandbox(world);
    await makePost(world, 'sandbox', { key, text: 'Today' });

    const cursor = (at: string) => `${at}_${UNKNOWN_ID}`;

    expect(textsIn(await read({ ...around(), cursor: cursor(inMs(-99 * DAY_MS)) }, key))).toEqual(['Today']);
    expect(textsIn(await read({ ...around(), cursor: cursor(inMs(99 * DAY_MS)) }, key))).toEqual([]);
  });

  it.each(['next', UNKNOWN_ID, `2026-02-30T00:00:00.000Z_${UNKNOWN_ID}`, `2026-11-21T12:00:00Z_${UNKNOWN_ID}`])(
    'refuse the cursor %j',
    async (cursor) => {
      const { status, body } = await read({ ...around(), cursor });

      expect([status, body.message]).toEqual([400, 'cursor: expected the nextCursor of a page of the calendar.']);
    },
  );

  it.each(['0', '501'])('refuse a limit of %s', async (limit) => {
    const { status, body } = await read({ ...around(), limit });

    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('an account with thousands of posts', () => {
  const FIRST = Date.UTC(2026, 8, 1);
  const RANGE = { from: '2026-09-01', to: '2026-10-31' };
  const HALF_HOUR_MS = 1_800_000;

  interface StoredPost {
    readonly id: string;
    readonly connection: number;
    readonly platform: string;
    readonly profile: string | null;
    readonly mode: string;
    readonly status: string;
    readonly tags: readonly string[];
    readonly created: string;
    readonly scheduled: string | null;
    readonly sent: string | null;
  }

  const connectionId = (number: number) => `dddddddd-dddd-7ddd-8ddd-dddddddddd${String(number).padStart(2, '0')}`;

  /** Two of three in the first hours, the others over all days; some share their time, some were accepted long before. */
  function storedPost(number: number, profile: string): StoredPost {
    const at = FIRST + (number % 3 === 0 ? number * 20 * 60_000 : Math.floor(number / 4) * 1_000);
    const isTimed = number % 4 !== 0;
    const created = isTimed ? at - (number % 90) * DAY_MS : at;
    const statuses = ['sent', 'sent', 'failed', 'deleted', isTimed ? 'scheduled' : 'processing', 'cancelled'] as const;
    const status = statuses[(number % 13) % 6] ?? 'sent';
    const connection = number % 7;
    const isSandbox = connection % 2 === 0;
    const isSent = status === 'sent' || status === 'deleted';
    const hex = created.toString(16).padStart(12, '0');
    return {
      id: `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`,
      connection,
      platform: isSandbox ? 'sandbox' : 'x',
      profile: number % 50 === 0 ? profile : null,
      mode: isSandbox && number % 3 === 0 ? 'test' : 'live',
      status,
      tags: number % 40 === 0 ? ['news'] : [],
      created: new Date(created).toISOString(),
      scheduled: isTimed ? new Date(isSent ? at - HALF_HOUR_MS : at).toISOString() : null,
      sent: isSent ? new Date(at).toISOString() : null,
    };
  }

  const timeOf = ({ sent, scheduled, created }: StoredPost) => sent ?? scheduled ?? created;
  const isShown = ({ status }: StoredPost) => ['sent', 'failed', 'scheduled', 'processing'].includes(status);

  let key: string;
  let accountId: string;
  let profileId: string;
  let posts: StoredPost[];

  beforeAll(async () => {
    ({ key, id: accountId } = await makeAccount(world));
    profileId = (await world.profile('Acme', accountId)).id;
    posts = Array.from({ length: 4_000 }, (_, number) => storedPost(number, profileId));
    await world.sql(
      `insert into connections (id, account_id, platform_id, slug, description, timezone, queue_slots, platform_account_id, handle, created_at, deleted_at)
       select id, $1, case n % 2 when 1 then 'sandbox' else 'x' end, 'bells-' || n, 'Bells', 'UTC', '[]', n::text, 'bells', $2::timestamptz,
         case n when 4 then $2::timestamptz end
       from unnest($3::uuid[]) with ordinality as c(id, n)`,
      [accountId, new Date(FIRST), Array.from({ length: 7 }, (_, number) => connectionId(number))],
    );
    await world.sql(
      `insert into posts (id, account_id, connection_id, connection_slug, platform_id, profile_id, mode, status, text, original_text, tags, thread, created_at, scheduled_for, sent_at)
       select p.id, $1, ($2::uuid[])[p.connection + 1], 'bells', p.platform, p.profile, p.mode, p.status, 'Ding', 'Ding', p.tags, '{}', p.created, p.scheduled, p.sent
       from jsonb_to_recordset($3::jsonb) as p(id uuid, connection int, platform text, profile uuid, mode text, status text,
         tags text[], created timestamptz, scheduled timestamptz, sent timestamptz)`,
      [accountId, Array.from({ length: 7 }, (_, number) => connectionId(number)), JSON.stringify(posts)],
    );
    await world.sql(
      `insert into post_tags (post_id, tag, account_id) select p.id, t.tag, p.account_id from posts p, unnest(p.tags) t(tag) where p.account_id = $1`,
      [accountId],
    );
    await world.sql('analyze posts');
  });

  const expected = (matches: (post: StoredPost) => boolean) =>
    posts
      .filter((post) => isShown(post) && matches(post) && timeOf(post) >= RANGE.from && timeOf(post) < '2026-11-01')
      .toSorted((a, b) => `${timeOf(a)} ${a.id}`.localeCompare(`${timeOf(b)} ${b.id}`))
      .map(({ id }) => id);

  async function through(search: Record<string, string>): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const answer = await read({ ...RANGE, ...search, ...(cursor !== '' && { cursor }) }, key);
      ids.push(...answer.body.posts.map(({ id }: Row) => id));
      cursor = answer.body.nextCursor;
    }
    return ids;
  }

  const FILTERS: [string, (id: string) => Record<string, string>, (post: StoredPost) => boolean][] = [
    ['nothing', () => ({}), () => true],
    ['nothing, in small pages', () => ({ limit: '97' }), () => true],
    ['a connection', () => ({ connection: connectionId(2) }), ({ connection }) => connection === 2],
    ['a deleted connection', () => ({ connection: connectionId(3) }), ({ connection }) => connection === 3],
    ['a platform', () => ({ platform: 'x' }), ({ platform }) => platform === 'x'],
    ['a tag', () => ({ tag: 'news', limit: '7' }), ({ tags }) => tags.length > 0],
    ['a profile', (profile) => ({ profileId: profile, limit: '7' }), ({ profile }) => profile !== null],
  ];

  it.each(FILTERS)('is listed once and in order, filtered by %s', async (_name, search, matches) => {
    const ids = expected(matches);

    expect(ids.length).toBeGreaterThan(30);
    expect(await through(search(profileId))).toEqual(ids);
  });

  it('has the same rows along its connections as along the index of a tag or of a profile', async () => {
    const caller = { accountId, profileId: null, mode: 'live' } as Parameters<typeof calendarRows>[1];
    const window = { from: new Date(FIRST), until: new Date('2026-11-01'), afterId: null, limit: 1_000 };
    const rows = (filter: object, narrow: Parameters<typeof calendarRows>[3]) =>
      calendarRows(world.db.em(), caller, { tag: [], connections: null, ...filter }, narrow, window).execute();

    expect(await rows({ tag: ['news'] }, null)).toEqual(await rows({ tag: ['news'] }, { tag: 'news' }));
    expect(await rows({ profileId }, null)).toEqual(await rows({ profileId }, { profileId }));
  });

  it('is read along indexes by time', async () => {
    const caller = { accountId, profileId: null, mode: 'live' } as Parameters<typeof calendarRows>[1];
    const window = { from: new Date(FIRST), until: new Date(FIRST + 60_000), afterId: null, limit: 501 };
    const query = calendarRows(world.db.em(), caller, { tag: [], connections: null }, null, window).compile();

    const plan = await world.sql<{ 'QUERY PLAN': string }>(`explain ${query.sql}`, query.parameters);

    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).toMatch(/posts_sent_index/);
    expect(lines).toMatch(/posts_waiting_index/);
    expect(lines).not.toMatch(/Seq Scan on posts/);
    const narrow = calendarRows(
      world.db.em(),
      caller,
      { tag: ['news'], connections: null },
      { tag: 'news' },
      window,
    ).compile();
    const ofTag = await world.sql<{ 'QUERY PLAN': string }>(`explain ${narrow.sql}`, narrow.parameters);
    const ofTagLines = ofTag.map((row) => row['QUERY PLAN']).join('\n');
    // With so few tags PostgreSQL may read all of them; what counts is that it looks up no post outside of the range.
    expect(ofTagLines).toMatch(/post_id >= .*post_id < /);
    expect(ofTagLines).toMatch(/posts_long_wait_index/);
    expect(ofTagLines).not.toMatch(/Seq Scan on posts/);
  });

  describe('and thousands more', () => {
    const caller = () => ({ accountId, profileId: null, mode: 'live' }) as Parameters<typeof planCalendar>[1];
    const range = { from: new Date(FIRST), until: new Date('2026-11-01') };

    beforeAll(async () => {
      await world.sql(
        `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text, tags, thread, created_at, sent_at)
         select overlay(gen_random_uuid()::text placing $3 from 1 for 23)::uuid, $1, $2, 'bells', 'sandbox', 'live', 'sent', 'Ding', 'Ding', '{}', '{}', $4, $4
         from generate_series(1, 10500)`,
        [accountId, connectionId(0), earliestId(range.from).slice(0, 23), new Date(FIRST + 30 * DAY_MS)],
      );
    });

    /** Posts that the calendar does not show, a minute apart, with one more tag and one more profile than those before. */
    async function storeHidden(count: number, tag: string): Promise<string> {
      const profile = await world.profile(tag, accountId);
      const shown = posts.filter(({ tags }) => tags.length > 0).map(({ id }) => id);
      await world.sql(
        `insert into posts (id, account_id, connection_id, connection_slug, platform_id, profile_id, mode, status, text, original_text, tags, thread, created_at)
         select (overlay(lpad(to_hex($5::bigint + n * 60000), 12, '0') placing '-' from 9 for 0) || '-7000-8000-' || lpad(to_hex($6::bigint + n), 12, '0'))::uuid,
           $1, $2, 'bells', 'sandbox', $3, 'live', 'cancelled', 'Ding', 'Ding', array[$4], '{}', to_timestamp($5::bigint / 1000)
         from generate_series(1, $7::int) as n`,
        [accountId, connectionId(0), profile.id, tag, FIRST - 20 * DAY_MS, count * 100_000, count],
      );
      await world.sql(`update posts set tags = tags || $1::text, profile_id = $2 where id = any($3::uuid[])`, [
        tag,
        profile.id,
        shown,
      ]);
      await world.sql(
        `insert into post_tags (post_id, tag, account_id) select id, $1, account_id from posts where account_id = $2 and tags @> array[$1]`,
        [tag, accountId],
      );
      return profile.id;
    }

    it.each([
      ['a thousand', 1_050, [{ postsMax: 1_000 }, 'narrow', 'narrow']],
      ['five thousand', 5_050, [{ postsMax: 1_000 }, { postsMax: 10_000 }, 'narrow']],
      ['twenty thousand', 20_100, [{ postsMax: 1_000 }, { postsMax: 10_000 }, { postsMax: null }]],
    ] as const)(
      'is listed once and in order, filtered by a tag or a profile of more than %s posts',
      async (_name, count, looks) => {
        const tag = `tag-${count}`;
        const profile = await storeHidden(count, tag);
        const plansOf = (filter: { tag: string[]; profileId?: string }) =>
          Promise.all(
            looks.map((_, look) =>
              planCalendar(world.db.em(), caller(), { connections: null, ...filter }, range, look),
            ),
          );
        const expectedPlans = (narrow: object) =>
          looks.map((look) =>
            look === 'narrow'
              ? { narrow, apart: null, postsMax: null }
              : { narrow: null, apart: { matchMs: expect.any(Number), anyMs: expect.any(Number) }, ...look },
          );

        const [ofTag, ofProfile] = [
          await through({ tag, limit: '7' }),
          await through({ profileId: profile, limit: '7' }),
        ];

        expect(await plansOf({ tag: [tag] })).toEqual(expectedPlans({ tag }));
        expect(await plansOf({ tag: [], profileId: profile })).toEqual(expectedPlans({ profileId: profile }));
        expect(ofTag).toEqual(expected(({ tags }) => tags.length > 0));
        expect(ofProfile).toEqual(ofTag);
      },
    );

    it('counts the posts of a window up to the most that it may have', async () => {
      const plan = { narrow: null, apart: null, postsMax: 10_500 };
      const window = { from: new Date(FIRST + 30 * DAY_MS), until: new Date(FIRST + 30 * DAY_MS + 1) };
      const filter = { tag: [], connections: null };
      const hasMore = (of: object, filtered: object = filter) =>
        hasMorePosts(world.db.em(), caller(), { ...filter, ...filtered }, { ...plan, ...of }, window);

      expect(await hasMore({})).toBe(false);
      expect(await hasMore({ postsMax: 10_499 })).toBe(true);
      expect(await hasMore({ postsMax: 10_499 }, { platform: 'x' })).toBe(false);
      expect(await hasMore({ postsMax: null })).toBe(false);
    });
  });
});
