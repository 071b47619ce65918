/** POST /post/{connectionSlug} posts plain text, and returns a failed post as an error response. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { refusal } from '../../harness/expected.ts';
import { sandboxOf } from '../../harness/posts.ts';
import { PUBLIC_URL, startWorld } from '../../harness/world.ts';

const world = await startWorld();

async function countPosts(accountId: string): Promise<number> {
  const rows = await world.sql('select id from posts where account_id = $1', [accountId]);
  return rows.length;
}

describe('200', () => {
  it('publishes the body and returns platform and permalink', async () => {
    const { key, connection } = await accountWithSandbox(world);

    const { status, body } = await world.rest('POST /post/sandbox', {
      key,
      raw: '  {"not": "read as JSON"}\n',
      headers: { 'content-type': 'text/plain' },
    });

    expect(status).toBe(200);
    const [row] = await sandboxOf(world, connection.id);
    expect(row?.text).toBe('{"not": "read as JSON"}');
    expect(body).toEqual({ platform: 'sandbox', link: `${PUBLIC_URL}/sandbox/${row?.account_id}/${row?.id}` });
  });

  it.each([
    ['text/plain with a charset', { 'content-type': 'Text/Plain; charset=utf-8' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['no Content-Type', {}],
  ])('accepts %s', async (_case, headers) => {
    const { key, connection } = await accountWithSandbox(world);

    const { status, body } = await world.rest('POST /post/sandbox', {
      key,
      raw: new TextEncoder().encode('Grüße, 1+1 & more'),
      headers,
    });

    expect(status).toBe(200);
    expect(body).toEqual({ platform: 'sandbox', link: expect.any(String) });
    expect((await sandboxOf(world, connection.id)).map(({ text }) => text)).toEqual(['Grüße, 1+1 & more']);
  });

  it('schedules with scheduled_for, and sends at its time', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();

    const { status, body } = await world.rest(`POST /post/sandbox?scheduled_for=${scheduledFor}`, {
      key,
      raw: 'Later',
    });

    expect(status).toBe(200);
    expect(body).toEqual({ scheduled: true, scheduled_for: scheduledFor });
    expect(await sandboxOf(world, connection.id)).toEqual([]);
    await world.advance(60_000);
    expect(await sandboxOf(world, connection.id)).toHaveLength(1);
  });

  it('posts within the profile of a scoped key', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    const wanted = await connectSandbox(world, { key, slug: 'news', profileId: profile.id });
    const own = await connectSandbox(world, { key, slug: 'news' });
    const scoped = await world.key({ accountId, profileId: profile.id });

    const { status } = await world.rest('POST /post/news', { key: scoped.secret, raw: 'Hello' });

    expect(status).toBe(200);
    expect(await sandboxOf(world, wanted.id)).toHaveLength(1);
    expect(await sandboxOf(world, own.id)).toEqual([]);
  });
});

describe('400 invalid_request', () => {
  it.each(['text/plain', 'text/plain; charset=iso-8859-1', 'application/x-www-form-urlencoded'])(
    'refuses a body that is not UTF-8, and publishes nothing: %s',
    async (type) => {
      const { id: accountId, key } = await accountWithSandbox(world);

      const { status, body } = await world.rest('POST /post/sandbox', {
        key,
        raw: new Uint8Array(Buffer.from('Grüße', 'latin1')),
        headers: { 'content-type': type },
      });

      expect(status).toBe(400);
      expect(body).toEqual(refusal('invalid_request', 'The body is not valid UTF-8. Send the text in UTF-8.'));
      expect(await countPosts(accountId)).toBe(0);
    },
  );

  it.each([
    ['no body', ''],
    ['a blank body', ' \n '],
  ])('refuses %s', async (_case, raw) => {
    const { id: accountId, key } = await accountWithSandbox(world);

    const { status, body } = await world.rest('POST /post/sandbox', { key, raw });

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_request', 'text: expected at least 1 character.', {
        details: [{ path: 'text', expected: 'at least 1 character', received: raw }],
      }),
    );
    expect(await countPosts(accountId)).toBe(0);
  });

  it.each([
    [
      'past',
      '2026-11-21T11:00:00.000Z',
      'scheduled_for: 2026-11-21T11:00:00.000Z is not in the future. It is 2026-11-21T12:00:00.000Z now.',
    ],
    ['not a time', 'tomorrow', 'scheduled_for: "tomorrow" is not a date-time such as 2027-01-31T09:00:00.000Z.'],
    [
      'without an offset',
      '2026-12-01T09:00:00',
      'scheduled_for: "2026-12-01T09:00:00" has no UTC offset; add one, such as Z for UTC.',
    ],
  ])('refuses a scheduled_for that is %s', async (_case, scheduledFor, message) => {
    const { id: accountId, key } = await accountWithSandbox(world);
    world.clock.set(new Date('2026-11-21T12:00:00.000Z'));

    const { status, body } = await world.rest(`POST /post/sandbox?scheduled_for=${scheduledFor}`, {
      key,
      raw: 'Hello',
    });

    expect(status).toBe(400);
    expect(body).toEqual(refusal('invalid_request', message));
    expect(await countPosts(accountId)).toBe(0);
  });

  it('refuses a repeated scheduled_for', async () => {
    const { key } = await accountWithSandbox(world);
    const time = '2026-12-01T09:00:00Z';

    const { status, body } = await world.rest(`POST /post/sandbox?scheduled_for=${time}&scheduled_for=${time}`, {
      key,
      raw: 'Hello',
    });

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_request', 'scheduled_for: expected a string.', {
        details: [{ path: 'scheduled_for', expected: 'a string', received: `["${time}","${time}"]` }],
      }),
    );
  });
});

describe('400 invalid_connection', () => {
  it.each([
    ['that nothing has', 'nowhere', 'nowhere'],
    ['that nothing can have', 'a%00b', 'a\u0000b'],
    ['with a slash in it', 'a%2Fb', 'a/b'],
  ])('refuses a slug %s', async (_case, path, slug) => {
    const { id: accountId, key } = await accountWithSandbox(world);

    const { status, body } = await world.rest(`POST /post/${path}`, { key, raw: 'Hello' });

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_connection', `No connection of yours has the slug "${slug}". GET /connections lists them.`),
    );
    expect(await countPosts(accountId)).toBe(0);
  });

  it('refuses another account’s slug', async () => {
    const [one, other] = [await makeAccount(world), await accountWithSandbox(world)];

    const { status, body } = await world.rest('POST /post/sandbox', { key: one.key, raw: 'Hello' });

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_connection', 'No connection of yours has the slug "sandbox". GET /connections lists them.'),
    );
    expect(await sandboxOf(world, other.connection.id)).toEqual([]);
  });
});

describe('415 unsupported_content_type', () => {
  it.each(['application/json', 'text/html', 'multipart/form-data; boundary=x'])('refuses %s', async (type) => {
    const { id: accountId, key } = await accountWithSandbox(world);

    const { status, body } = await world.rest('POST /post/sandbox', {
      key,
      raw: 'Hello',
      headers: { 'content-type': type },
    });

    expect(status).toBe(415);
    expect(body).toEqual(
      refusal(
        'unsupported_content_type',
        `Content-Type ${type.split(';')[0]} is not accepted here; send text/plain, application/x-www-form-urlencoded, or none.`,
      ),
    );
    expect(await countPosts(accountId)).toBe(0);
  });
});

describe('422 platform_rejected', () => {
  it('reports what the platform refused, and stores the failed post', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);

    const { status, headers, body } = await world.rest('POST /post/sandbox', { key, raw: 'Hello [[reject]]' });

    expect(status).toBe(422);
    expect(body).toEqual(
      refusal('platform_rejected', 'The sandbox refused the post, as [[reject]] in its text asks.', {
        req_id: headers.get('x-request-id') ?? '',
      }),
    );
    expect(await world.sql('select status, error_code from posts where account_id = $1', [accountId])).toEqual([
      { status: 'failed', error_code: 'platform_rejected' },
    ]);
  });

  it('refuses a text over the limit, and stores nothing', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);

    const { status, headers, body } = await world.rest('POST /post/sandbox', { key, raw: 'a'.repeat(501) });

    expect(status).toBe(422);
    expect(body).toEqual(
      refusal('platform_rejected', 'The text has 501 characters; Sandbox takes at most 500.', {
        req_id: headers.get('x-request-id') ?? '',
      }),
    );
    expect(await countPosts(accountId)).toBe(0);
  });
});

describe('422 reconnect_required', () => {
  it('reports that the access token is no longer valid', async () => {
    const { key } = await accountWithSandbox(world);

    const { status, body } = await world.rest('POST /post/sandbox', { key, raw: 'Hello [[reconnect]]' });

    expect(status).toBe(422);
    expect(body).toEqual(
      refusal(
        'reconnect_required',
        'The sandbox no longer accepts this credential, as [[reconnect]] in the text asks.',
      ),
    );
  });
});

describe('500 internal_server_error', () => {
  it('names the post and advises to check it, if the outcome is unknown', async () => {
    const { key } = await accountWithSandbox(world);

    const { status, headers, body } = await world.rest('POST /post/sandbox', { key, raw: 'Hello [[vanish]]' });

    expect(status).toBe(500);
    const [post] = (await world.rest('GET /posts', { key })).body.posts;
    expect(post).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } });
    expect(body).toEqual(
      refusal(
        'internal_server_error',
        `It is not known whether the post ${post.id} went out. Look on the platform, and at GET /posts/${post.id}, before sending it again.`,
        { retryable: false, req_id: headers.get('x-request-id') ?? '' },
      ),
    );
  });
});

describe('503 platform_unavailable', () => {
  it('reports that nothing was posted', async () => {
    const { key, connection } = await accountWithSandbox(world);

    const { status, body } = await world.rest('POST /post/sandbox', { key, raw: 'Hello [[unavailable]]' });

    expect(status).toBe(503);
    expect(body).toEqual(
      refusal(
        'platform_unavailable',
        'The sandbox is unavailable, as [[unavailable]] in the text asks; nothing was posted.',
      ),
    );
    expect(await sandboxOf(world, connection.id)).toEqual([]);
  });
});
