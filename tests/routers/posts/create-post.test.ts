/**
 * POST /posts: which connections a post goes to, what is refused before it is stored, and the result for each
 * connection.
 */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { accountWithSandbox, connectSandbox, storeBluesky } from '../../harness/connections.ts';
import { NO_POST, refusal, UNKNOWN_ID, UUID } from '../../harness/expected.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { PUBLIC_URL, startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** The result of a post that was refused before it was stored. */
function refusedItem(connectionSlug: string, code: string, message: string) {
  return {
    connectionSlug,
    ...NO_POST,
    error: { code, message },
  };
}

async function countPosts(accountId: string): Promise<number> {
  const rows = await world.sql('select id from posts where account_id = $1', [accountId]);
  return rows.length;
}

describe('200, sent immediately', () => {
  it('returns the permalink after the platform has accepted the post', async () => {
    const { key, connection } = await accountWithSandbox(world);

    const { status, body } = await world.rest('POST /posts', {
      key,
      body: { text: 'Hello', connectionSlugs: ['sandbox'] },
    });

    expect(status).toBe(200);
    const [row] = await sandboxOf(world, connection.id);
    expect(row).toEqual({ id: UUID, account_id: UUID, text: 'Hello', calls: 1, is_up: true });
    expect(body).toEqual({
      results: [
        {
          connectionSlug: 'sandbox',
          status: 'sent',
          postId: UUID,
          url: `${PUBLIC_URL}/sandbox/${row?.account_id}/${row?.id}`,
          scheduledFor: null,
          threadCount: 0,
          hasFirstComment: false,
          error: null,
        },
      ],
    });
  });

  it('trims whitespace around the text and keeps it inside the text', async () => {
    const { key, connection } = await accountWithSandbox(world);

    await makePost(world, 'sandbox', { key, text: ' \n Two\n\n  lines\t ' });

    expect((await sandboxOf(world, connection.id)).map(({ text }) => text)).toEqual(['Two\n\n  lines']);
  });

  it('returns one result for each slug, in request order, without duplicates', async () => {
    const { key } = await makeAccount(world);
    for (const slug of ['a', 'b', 'c']) await connectSandbox(world, { key, slug });

    const { status, body } = await world.rest('POST /posts', {
      key,
      body: { text: 'Hello', connectionSlugs: ['c', 'a', 'c', 'b', 'a'] },
    });

    expect(status).toBe(200);
    expect(body.results.map((result: { connectionSlug: string; status: string }) => result)).toMatchObject([
      { connectionSlug: 'c', status: 'sent' },
      { connectionSlug: 'a', status: 'sent' },
      { connectionSlug: 'b', status: 'sent' },
    ]);
  });

  it('continues with the other connections when one fails', async () => {
    const { id: accountId, key } = await makeAccount(world);
    await connectSandbox(world, { key, slug: 'first' });
    await connectSandbox(world, { key, slug: 'last' });

    const { status, body } = await world.rest('POST /posts', {
      key,
      body: { text: 'Hello', connectionSlugs: ['first', 'nowhere', 'last'] },
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      results: [
        expect.objectContaining({ connectionSlug: 'first', status: 'sent', postId: UUID }),
        refusedItem(
          'nowhere',
          'invalid_connection',
          'No connection of yours has the slug "nowhere". GET /connections lists them.',
        ),
        expect.objectContaining({ connectionSlug: 'last', status: 'sent', postId: UUID }),
      ],
    });
    expect(await countPosts(accountId)).toBe(2);
  });

  it('accepts a hundred connections', async () => {
    const { key } = await accountWithSandbox(world);
    const connectionSlugs = ['sandbox', ...Array.from({ length: 99 }, (_, index) => `none-${index}`)];

    const { status, body } = await world.rest('POST /posts', { key, body: { text: 'Hello', connectionSlugs } });

    expect(status).toBe(200);
    expect(body.results).toHaveLength(100);
  });
});

describe('200, refused before it is stored', () => {
  it('fails the result of a text that is too long, with the limit and the length', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);

    const { status, body } = await world.rest('POST /posts', {
      key,
      body: { text: 'a'.repeat(501), connectionSlugs: ['sandbox'] },
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      results: [refusedItem('sandbox', 'platform_rejected', 'The text has 501 characters; Sandbox takes at most 500.')],
    });
    expect(await countPosts(accountId)).toBe(0);
  });

  it('fails the result of a scheduled post immediately, not at its time', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);

    const { body } = await world.rest('POST /posts', {
      key,
      body: { text: 'a'.repeat(501), connectionSlugs: ['sandbox'], scheduledFor: '2026-12-01T09:00:00Z' },
    });

    expect(body).toEqual({
      results: [refusedItem('sandbox', 'platform_rejected', 'The text has 501 characters; Sandbox takes at most 500.')],
    });
    expect(await countPosts(accountId)).toBe(0);
  });

  it('counts a grapheme as one character', async () => {
    const { key } = await accountWithSandbox(world);

    const result = await makePost(world, 'sandbox', { key, text: '👩‍👩‍👧‍👦'.repeat(500) });

    expect(result).toMatchObject({ status: 'sent', error: null });
  });
});

describe('200, scheduled', () => {
  it.each([
    ['in UTC', { scheduledFor: '2026-12-01T09:00:00Z' }, '2026-12-01T09:00:00.000Z'],
    ['with an offset', { scheduledFor: '2026-12-01T09:00:00+05:30' }, '2026-12-01T03:30:00.000Z'],
    [
      'as a wall time in a zone',
      { scheduledFor: '2026-12-01T09:00', timezone: 'Europe/Paris' },
      '2026-12-01T08:00:00.000Z',
    ],
  ])('accepts a time %s and returns it in UTC', async (_case, when, scheduledFor) => {
    const { key } = await accountWithSandbox(world);

    const { status, body } = await world.rest('POST /posts', {
      key,
      body: { text: 'Later', connectionSlugs: ['sandbox'], ...when },
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      results: [
        {
          connectionSlug: 'sandbox',
          status: 'scheduled',
          postId: UUID,
          url: null,
          scheduledFor,
          threadCount: 0,
          hasFirstComment: false,
          error: null,
        },
      ],
    });
  });

  it('sends nothing and emits nothing before its time, and then sends it under the same id', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor });

    await world.advance(59_999);
    const before = { rows: await sandboxOf(world, connection.id), events: await eventsAbout(world, postId) };
    await world.advance(1);

    expect(before).toEqual({ rows: [], events: [] });
    expect(await sandboxOf(world, connection.id)).toHaveLength(1);
    const { body } = await world.rest(`GET /posts/${postId}`, { key });
    expect(body.post).toMatchObject({ id: postId, status: 'sent', scheduledFor, error: null });
  });
});

describe('200, resolution of slugs', () => {
  async function twoProfiles() {
    const { id: accountId, key } = await makeAccount(world);
    const [acme, globex] = [await world.profile('Acme', accountId), await world.profile('Globex', accountId)];
    return { accountId, key, acme: acme.id, globex: globex.id };
  }

  it('prefers the connection without a profile, although a profile has the same slug', async () => {
    const { key, acme } = await twoProfiles();
    const inProfile = await connectSandbox(world, { key, slug: 'news', profileId: acme });
    const own = await connectSandbox(world, { key, slug: 'news' });

    await makePost(world, 'news', { key });

    expect(await sandboxOf(world, own.id)).toHaveLength(1);
    expect(await sandboxOf(world, inProfile.id)).toEqual([]);
  });

  it('matches the only profile that has it, and stores the post under that profile', async () => {
    const { key, acme } = await twoProfiles();
    await connectSandbox(world, { key, slug: 'news', profileId: acme });

    const { postId } = await makePost(world, 'news', { key });

    const { body } = await world.rest(`GET /posts/${postId}`, { key });
    expect(body.post).toMatchObject({ status: 'sent', profileId: acme });
  });

  it('matches no connection when several profiles have it', async () => {
    const { key, acme, globex } = await twoProfiles();
    await connectSandbox(world, { key, slug: 'sure' });
    await connectSandbox(world, { key, slug: 'news', profileId: acme });
    await connectSandbox(world, { key, slug: 'news', profileId: globex });

    const { body } = await world.rest('POST /posts', {
      key,
      body: { text: 'Hello', connectionSlugs: ['sure', 'news'] },
    });

    expect(body.results[1]).toEqual(
      refusedItem(
        'news',
        'invalid_connection',
        '2 profiles have a connection with the slug "news". Name one of them with profileId.',
      ),
    );
  });

  it('uses the profile that the request names, and fails for slugs outside it', async () => {
    const { key, acme, globex } = await twoProfiles();
    const wanted = await connectSandbox(world, { key, slug: 'news', profileId: acme });
    await connectSandbox(world, { key, slug: 'news', profileId: globex });
    await connectSandbox(world, { key, slug: 'own' });

    const { body } = await world.rest('POST /posts', {
      key,
      body: { text: 'Hello', connectionSlugs: ['news', 'own'], profileId: acme },
    });

    expect(body).toEqual({
      results: [
        expect.objectContaining({ connectionSlug: 'news', status: 'sent' }),
        refusedItem(
          'own',
          'invalid_connection',
          `No connection in profile ${acme} has the slug "own". GET /connections lists them.`,
        ),
      ],
    });
    expect(await sandboxOf(world, wanted.id)).toHaveLength(1);
  });

  it('uses the profile of a scoped key, whether or not the request names it', async () => {
    const { accountId, key, acme } = await twoProfiles();
    const wanted = await connectSandbox(world, { key, slug: 'news', profileId: acme });
    const own = await connectSandbox(world, { key, slug: 'news' });
    const scoped = await world.key({ accountId, profileId: acme });

    await makePost(world, 'news', { key: scoped.secret });
    await makePost(world, 'news', { key: scoped.secret, profileId: acme });
    await makePost(world, 'news', { key: scoped.secret, profileId: acme.toUpperCase() });

    expect(await sandboxOf(world, wanted.id)).toHaveLength(3);
    expect(await sandboxOf(world, own.id)).toEqual([]);
  });
});

describe('200, with a test key', () => {
  it('posts to a sandbox in test mode', async () => {
    const { id: accountId } = await accountWithSandbox(world);
    const testKey = await world.key({ accountId, type: 'test' });

    const { postId } = await makePost(world, 'sandbox', { key: testKey.secret });

    expect(await world.sql('select mode, status from posts where id = $1', [postId])).toEqual([
      { mode: 'test', status: 'sent' },
    ]);
    expect(await eventsAbout(world, postId)).toMatchObject([{ name: 'post.sent', mode: 'test' }]);
  });
});

describe('400 invalid_request', () => {
  const valid = { text: 'Hello', connectionSlugs: ['sandbox'] };

  it.each([
    ['no text', { connectionSlugs: ['sandbox'] }, 'text: expected a string.'],
    ['an empty text', { ...valid, text: '' }, 'text: expected at least 1 character.'],
    ['a blank text', { ...valid, text: ' \n\t' }, 'text: expected at least 1 character.'],
    ['a text that is a number', { ...valid, text: 7 }, 'text: expected a string.'],
    [
      'a text beyond all platforms',
      { ...valid, text: 'a'.repeat(100_001) },
      'text: expected at most 100000 characters.',
    ],
    [
      'a text with a NUL',
      { ...valid, text: 'a\u0000b' },
      'text: expected text without NUL and without broken surrogate pairs.',
    ],
    [
      'half a surrogate pair',
      { ...valid, text: 'a\ud83d' },
      'text: expected text without NUL and without broken surrogate pairs.',
    ],
    ['no slugs', { text: 'Hello' }, 'connectionSlugs: expected an array.'],
    ['an empty list of slugs', { ...valid, connectionSlugs: [] }, 'connectionSlugs: expected at least 1 item.'],
    [
      'a slug that is not a text',
      { ...valid, connectionSlugs: ['sandbox', 7] },
      'connectionSlugs.1: expected a string.',
    ],
    [
      'a hundred and one connections',
      { ...valid, connectionSlugs: Array.from({ length: 101 }, (_, index) => `slug-${index}`) },
      'connectionSlugs: expected at most 100 items.',
    ],
    [
      'a time that is past',
      { ...valid, scheduledFor: '2026-11-21T11:59:59.999Z' },
      'scheduledFor: 2026-11-21T11:59:59.999Z is not in the future.',
    ],
    [
      'a time more than 30 days ahead',
      { ...valid, scheduledFor: '2027-01-30T12:00:00Z' },
      'scheduledFor: 2027-01-30T12:00:00.000Z is more than 30 days ahead.',
    ],
    [
      'a time without offset or zone',
      { ...valid, scheduledFor: '2026-12-01T09:00:00' },
      'scheduledFor: "2026-12-01T09:00:00" has no UTC offset; add one (Z for UTC) or name a timezone.',
    ],
    [
      'a zone without a time',
      { ...valid, timezone: 'Europe/Paris' },
      'timezone: is read only together with a scheduledFor that has no UTC offset; leave it out or add scheduledFor.',
    ],
    ['a malformed profileId', { ...valid, profileId: 'acme' }, 'profileId: expected a UUID.'],
    [
      'a misspelt field, rather than publish at once',
      { ...valid, scheduleFor: '2026-12-01T09:00:00Z' },
      'body: expected no field called "scheduleFor".',
    ],
    ['a body that is a list', [valid], 'body: expected an object.'],
    ['a body that is a text', 'Hello', 'body: expected an object.'],
  ])('refuses %s, stores nothing and sends nothing', async (_case, sent, message) => {
    const { id: accountId, key, connection } = await accountWithSandbox(world);

    const { status, body } = await world.rest('POST /posts', { key, body: sent });

    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'invalid_request' });
    expect(body.message.startsWith(message)).toBe(true);
    expect(await countPosts(accountId)).toBe(0);
    expect(await sandboxOf(world, connection.id)).toEqual([]);
  });

  it('lists every invalid field, with what was expected and what was received', async () => {
    const { status, body } = await world.rest('POST /posts', {
      body: { text: 7, connectionSlugs: [], profileId: 'acme' },
    });

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal(
        'invalid_request',
        'text: expected a string; connectionSlugs: expected at least 1 item; profileId: expected a UUID.',
        {
          details: [
            { path: 'text', expected: 'a string', received: '7' },
            { path: 'connectionSlugs', expected: 'at least 1 item', received: '[]' },
            { path: 'profileId', expected: 'a UUID', received: 'acme' },
          ],
        },
      ),
    );
  });
});

describe('400 invalid_connection', () => {
  const post = (key: string, connectionSlugs: string[], profileId?: string) =>
    world.rest('POST /posts', { key, body: { text: 'Hello', connectionSlugs, ...(profileId && { profileId }) } });

  it('refuses the request when no slug matches, with the reason for each', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);

    const { status, body } = await post(key, ['nowhere', 'sandbox-9']);

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal(
        'invalid_connection',
        'No connection of yours has the slug "nowhere". GET /connections lists them. No connection of yours has the slug "sandbox-9". GET /connections lists them.',
      ),
    );
    expect(await countPosts(accountId)).toBe(0);
  });

  it('answers an invalid slug like an unknown one', async () => {
    const { status, body } = await post(world.liveKey, ['a\u0000b']);

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_connection', 'No connection of yours has the slug "a\u0000b". GET /connections lists them.'),
    );
  });

  it('refuses the slug of a deleted connection', async () => {
    const { key, connection } = await accountWithSandbox(world);
    await world.rest(`DELETE /connections/${connection.id}`, { key });

    const { status, body } = await post(key, ['sandbox']);

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_connection', 'No connection of yours has the slug "sandbox". GET /connections lists them.'),
    );
  });

  it('refuses another account’s slug', async () => {
    const [one, other] = [await makeAccount(world), await makeAccount(world)];
    const foreign = await connectSandbox(world, { key: other.key, slug: 'theirs' });

    const { status, body } = await post(one.key, ['theirs']);

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_connection', 'No connection of yours has the slug "theirs". GET /connections lists them.'),
    );
    expect(await sandboxOf(world, foreign.id)).toEqual([]);
  });

  it('refuses another account’s profile', async () => {
    const [one, other] = [await makeAccount(world), await makeAccount(world)];
    const profile = await world.profile('Acme', other.id);
    const foreign = await connectSandbox(world, { key: other.key, slug: 'news', profileId: profile.id });

    const { status, body } = await post(one.key, ['news'], profile.id);

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal(
        'invalid_connection',
        `No connection in profile ${profile.id} has the slug "news". GET /connections lists them.`,
      ),
    );
    expect(await sandboxOf(world, foreign.id)).toEqual([]);
  });

  it('refuses a profile that does not exist', async () => {
    const { key } = await accountWithSandbox(world);

    const { status, body } = await post(key, ['sandbox'], UNKNOWN_ID);

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal(
        'invalid_connection',
        `No connection in profile ${UNKNOWN_ID} has the slug "sandbox". GET /connections lists them.`,
      ),
    );
  });

  it('refuses a scoped key another profile of its account', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const [acme, globex] = [await world.profile('Acme', accountId), await world.profile('Globex', accountId)];
    const outside = await connectSandbox(world, { key, slug: 'news', profileId: globex.id });
    const scoped = await world.key({ accountId, profileId: acme.id });

    const { status, body } = await post(scoped.secret, ['news'], globex.id);

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal(
        'invalid_connection',
        `No connection in profile ${globex.id} has the slug "news". GET /connections lists them.`,
      ),
    );
    expect(await sandboxOf(world, outside.id)).toEqual([]);
  });

  it('refuses a test key a connection outside the sandbox', async () => {
    const { id: accountId } = await makeAccount(world);
    await storeBluesky(world, accountId, { slug: 'alice' });
    const testKey = await world.key({ accountId, type: 'test' });

    const { status, body } = await post(testKey.secret, ['alice']);

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_connection', 'No connection of yours has the slug "alice". GET /connections lists them.'),
    );
    expect(await countPosts(accountId)).toBe(0);
  });
});

describe('null', () => {
  it('counts as absent in fields that posts return as null, so that a client can send back what it read', async () => {
    const { key } = await accountWithSandbox(world);
    const nulls = { scheduledFor: null, profileId: null, firstComment: null, rewrite: null };
    const body = { text: 'With nulls', connectionSlugs: ['sandbox'], ...nulls };

    const validated = await world.rest('POST /posts/validate', { key, body });
    const sent = await world.rest('POST /posts', { key, body });
    const draft = await world.rest('POST /posts', { key, body: { ...body, isDraft: true } });
    const path = `POST /posts/${draft.body.results[0].postId}` as const;
    const published = await world.rest(`${path}/publish`, { key, body: { scheduledFor: null } });
    const failed = await world.rest('POST /posts', { key, body: { ...body, text: '[[reject]]' } });
    const retried = await world.rest(`POST /posts/${failed.body.results[0].postId}/retry`, {
      key,
      body: { scheduledFor: null },
    });

    expect(validated.body.results[0].ok).toBe(true);
    expect([sent.body.results[0].status, published.body.result.status]).toEqual(['sent', 'sent']);
    expect([retried.status, retried.body.result.status]).toEqual([200, 'failed']);
  });
});
