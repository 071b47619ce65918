/**
 * POST /profiles/{profileId}/connect creates a link that is valid for fifteen minutes and redirects to an allowed
 * address.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { callOperation, operationNamed } from '../../../mcp/call-operation.ts';
import type { Caller } from '../../../services/access/caller.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { UNKNOWN_ID, refusal, UUID } from '../../harness/expected.ts';
import { PUBLIC_URL, startWorld, type RestAnswer } from '../../harness/world.ts';

const world = await startWorld();
const REDIRECT = 'https://app.example.com/connected?tab=2';
const { id: profileId } = await world.profile();

function open(body: unknown, key = world.liveKey, profile = profileId): Promise<RestAnswer> {
  return world.rest(`POST /profiles/${profile}/connect`, { key, body });
}

/** A key with an allowlist of redirect origins. */
async function keyWithAllowlist(...origins: string[]): Promise<string> {
  const { id, secret } = await world.key();
  await world.sql('update api_keys set redirect_allowlist = $2 where id = $1', [id, origins]);
  return secret;
}

async function countSessions(): Promise<number> {
  const rows = await world.sql('select id from connect_sessions');
  return rows.length;
}

describe('200', () => {
  it('returns a link with a unique secret, and its expiry time', async () => {
    const { status, body } = await open({ redirectUrl: REDIRECT });

    expect(status).toBe(200);
    expect(body).toEqual({
      url: expect.stringMatching(new RegExp(`^${PUBLIC_URL}/connect/[\\w-]{43}$`)),
      expiresAt: '2026-11-21T12:15:00.000Z',
      connectSessionId: UUID,
    });
    const again = await open({ redirectUrl: REDIRECT });
    expect(again.body.url).not.toBe(body.url);
  });

  it('stores only a hash of the secret', async () => {
    const { body } = await open({ redirectUrl: REDIRECT });

    const token = new URL(body.url).pathname.split('/').at(-1) ?? '';
    const [row] = await world.sql<{ token_hash: string }>('select * from connect_sessions where id = $1', [
      body.connectSessionId,
    ]);
    expect(row?.token_hash).toBe(createHash('sha256').update(token).digest('hex'));
    expect(JSON.stringify(row)).not.toContain(token);
  });

  it.each([
    ['https', 'https://app.example.com/connected'],
    ['a port', 'https://app.example.com:8443/connected'],
    ['a public address', 'https://93.184.216.34/connected'],
    ['http on localhost', 'http://localhost:5173/connected'],
    ['letters that a browser would write otherwise', "https://App.Example.com/a/../b?x=%7e&y=it's"],
  ])('accepts a redirectUrl with %s and stores it unchanged', async (_case, redirectUrl) => {
    const { status, body } = await open({ redirectUrl });

    expect(status).toBe(200);
    const read = await world.rest(`GET /connect-sessions/${body.connectSessionId}`);
    expect(read.body.connectSession.redirectUrl).toBe(redirectUrl);
  });

  it('accepts a redirectUrl of an origin on the key’s allowlist', async () => {
    const key = await keyWithAllowlist('https://app.example.com', 'http://localhost:5173');

    const answers = [
      await open({ redirectUrl: 'https://app.example.com/anything?at=all' }, key),
      await open({ redirectUrl: 'HTTPS://APP.example.com:443/' }, key),
      await open({ redirectUrl: 'http://localhost:5173/' }, key),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('lets a scoped key create sessions for its own profile', async () => {
    const { secret } = await world.key({ profileId });

    const { status, body } = await open({ redirectUrl: REDIRECT, platform: 'bluesky', headless: true }, secret);

    expect(status).toBe(200);
    const read = await world.rest(`GET /connect-sessions/${body.connectSessionId}`, { key: secret });
    expect(read.body).toEqual({
      connectSession: {
        id: body.connectSessionId,
        profileId,
        platform: 'bluesky',
        status: 'pending',
        connectionId: null,
        reconnectConnectionId: null,
        error: null,
        redirectUrl: REDIRECT,
        headless: true,
        openedAt: null,
        expiresAt: '2026-11-21T12:15:00.000Z',
        createdAt: '2026-11-21T12:00:00.000Z',
      },
    });
  });

  it('lets a test key name the sandbox, or no platform', async () => {
    const named = await open({ redirectUrl: REDIRECT, platform: 'sandbox' }, world.testKey);
    const unnamed = await open({ redirectUrl: REDIRECT }, world.testKey);

    expect([named.status, unnamed.status]).toEqual([200, 200]);
  });
});

describe('400 invalid_request', () => {
  it.each([
    ['no redirectUrl', {}, 'redirectUrl: expected a string.'],
    [
      'what is no address',
      { redirectUrl: 'app.example.com' },
      'redirectUrl: expected an address such as https://app.example/connected.',
    ],
    [
      'an address with a line break',
      { redirectUrl: 'https://app.example.com/\r\nset-cookie: a=b' },
      'redirectUrl: expected an address such as https://app.example/connected.',
    ],
    ['another scheme', { redirectUrl: 'javascript:alert(1)' }, 'redirectUrl: expected an https address.'],
    [
      'plain http',
      { redirectUrl: 'http://app.example.com/' },
      'redirectUrl: expected https; plain http is for localhost only.',
    ],
    [
      'plain http on a private address',
      { redirectUrl: 'http://192.168.0.7/' },
      'redirectUrl: expected https; plain http is for localhost only.',
    ],
    [
      'a host that only begins with localhost',
      { redirectUrl: 'http://localhost.example.com/' },
      'redirectUrl: expected https; plain http is for localhost only.',
    ],
    ['a fragment', { redirectUrl: `${REDIRECT}#top` }, 'redirectUrl: expected an address without a fragment (#).'],
    ['an empty fragment', { redirectUrl: `${REDIRECT}#` }, 'redirectUrl: expected an address without a fragment (#).'],
    [
      'user name and password',
      { redirectUrl: 'https://app.example.com:x@evil.example/' },
      'redirectUrl: expected an address without user name and password.',
    ],
    ...[
      'https://localhost/',
      'https://app.localhost/',
      'https://intranet/',
      'https://printer.local/',
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://10.0.0.8/',
      'https://169.254.169.254/',
      'https://[::1]/',
      'https://[fd00::1]/',
      'https://[::ffff:10.0.0.8]/',
      'https://a;script-src.example/',
    ].map((redirectUrl): [string, object, string] => [
      redirectUrl,
      { redirectUrl },
      'redirectUrl: expected a host on the public internet.',
    ]),
    ...['https://１２７.0.0.1/', 'https://bücher.local/', 'https://ｌｏｃａｌｈｏｓｔ/'].map(
      (redirectUrl): [string, object, string] => [
        redirectUrl,
        { redirectUrl },
        'redirectUrl: expected a host on the public internet.',
      ],
    ),
    ...[
      'https://app.example.com/\u202Egnp.exe',
      'https://app.example.com/\u200B',
      'https://app.example.com/\u0085',
      'https://app.example.com/\u00A0',
      'https://app.example.com/\uD800',
    ].map((redirectUrl): [string, object, string] => [
      JSON.stringify(redirectUrl),
      { redirectUrl },
      'redirectUrl: expected an address such as https://app.example/connected.',
    ]),
    [
      'an address that is too long once it is encoded',
      { redirectUrl: `https://app.example.com/${'ü'.repeat(400)}` },
      'redirectUrl: expected at most 2000 characters once it is encoded, not 2424.',
    ],
    [
      'an address of 2,001 characters',
      { redirectUrl: `https://app.example.com/${'a'.repeat(1977)}` },
      'redirectUrl: expected at most 2000 characters.',
    ],
    [
      'a platform that does not exist',
      { redirectUrl: REDIRECT, platform: 'myspace' },
      /^platform: "myspace" cannot be connected on this install\. Available platforms: bluesky, .*sandbox\.$/,
    ],
    [
      'a platform without its app',
      { redirectUrl: REDIRECT, platform: 'x' },
      /^platform: "x" cannot be connected on this install\. Available platforms: bluesky, .*sandbox\.$/,
    ],
    ['headless that is no boolean', { redirectUrl: REDIRECT, headless: 'yes' }, 'headless: expected a boolean.'],
    [
      'a field that does not exist',
      { redirectUrl: REDIRECT, redirectURL: REDIRECT },
      'body: expected no field called "redirectURL".',
    ],
  ])('refuses %s and stores nothing', async (_case, sent, message) => {
    const before = await countSessions();

    const { status, body } = await open(sent);

    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'invalid_request', message: expect.stringMatching(escaped(message)) });
    expect(await countSessions()).toBe(before);
  });

  it.each([
    ['another host', 'https://app.example.com.evil.example/'],
    ['another scheme', 'http://localhost/'],
    ['another port', 'https://app.example.com:444/'],
  ])('refuses %s than the allowlist of the key has', async (_case, redirectUrl) => {
    const key = await keyWithAllowlist('https://app.example.com', 'https://localhost');

    const { status, body } = await open({ redirectUrl }, key);

    const { origin } = new URL(redirectUrl);
    expect(status).toBe(400);
    expect(body).toEqual(
      refusal(
        'invalid_request',
        `redirectUrl: this key allows redirects only to https://app.example.com, https://localhost, not to ${origin}.`,
      ),
    );
  });

  it('refuses a test key all platforms except the sandbox', async () => {
    const { status, body } = await open({ redirectUrl: REDIRECT, platform: 'bluesky' }, world.testKey);

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_request', 'platform: a test key connects sandbox only, not "bluesky". Use a live key.'),
    );
  });

  it('refuses a malformed id', async () => {
    const { status, body } = await open({ redirectUrl: REDIRECT }, world.liveKey, 'acme');

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_request', 'profileId: expected a UUID.', {
        details: [{ path: 'profileId', expected: 'a UUID', received: 'acme' }],
      }),
    );
  });
});

describe('401 unauthorized', () => {
  it('refuses a request without a key', async () => {
    const { status, body } = await world.rest(`POST /profiles/${profileId}/connect`, {
      key: null,
      body: { redirectUrl: REDIRECT },
    });

    expect(status).toBe(401);
    expect(body).toMatchObject({ error: 'unauthorized' });
  });
});

describe('403 forbidden', () => {
  it.each([
    ['another profile of the account', async () => (await world.profile('Globex')).id],
    ['a profile that does not exist', async () => UNKNOWN_ID],
  ])('refuses a scoped key %s', async (_case, other) => {
    const { secret } = await world.key({ profileId });

    const { status, body } = await open({ redirectUrl: REDIRECT }, secret, await other());

    expect(status).toBe(403);
    expect(body).toEqual(
      refusal(
        'forbidden',
        'This key or access token is limited to another profile and can create connect sessions only for that one.',
      ),
    );
  });
});

describe('404 not_found', () => {
  it.each([
    ['a profile that does not exist', async () => UNKNOWN_ID],
    ['another account’s profile', async () => (await world.profile('Acme', (await makeAccount(world)).id)).id],
    [
      'a deleted profile',
      async () => {
        const { id } = await world.profile('Gone');
        await world.sql('update profiles set deleted_at = $2 where id = $1', [id, world.clock.now()]);
        return id;
      },
    ],
  ])('refuses %s', async (_case, profile) => {
    const id = await profile();

    const { status, body } = await open({ redirectUrl: REDIRECT }, world.liveKey, id);

    expect(status).toBe(404);
    expect(body).toEqual(refusal('not_found', `No profile of yours has the id ${id}.`));
  });
});

/** Builds a regular expression that matches exactly this text. */
function escaped(message: string | RegExp): RegExp {
  return message instanceof RegExp ? message : new RegExp(`^${RegExp.escape(message)}$`);
}

describe('a caller without a key', () => {
  it('can create a link that no key allowlist restricts', async () => {
    const [account] = await world.sql<{ id: string }>('select id from accounts order by id limit 1');
    const grant = '01a1fdfa-4600-7051-a4e5-0000000000aa';
    const caller: Caller = {
      accountId: account?.id ?? '',
      keyId: grant,
      profileId: null,
      mode: 'live',
      scopes: new Set(['connections:write', 'connections:read']),
      approval: 'none',
      policyId: null,
      actor: { kind: 'oauth_client', id: 'client', name: 'An agent' },
    };
    const call = { caller, requestId: 'request-1', selection: { toolset: null, readOnly: false } };

    const input = { profileId, redirectUrl: REDIRECT };
    const link = await callOperation(world.context, operationNamed('connect.create'), input, call);

    const { connectSessionId } = link as { connectSessionId: string };
    const rows = await world.sql('select key_id, mode from connect_sessions where id = $1', [connectSessionId]);
    expect(rows).toEqual([{ key_id: null, mode: 'live' }]);
    expect((await world.rest(`GET /connect-sessions/${connectSessionId}`)).body.connectSession.status).toBe('pending');
  });
});
