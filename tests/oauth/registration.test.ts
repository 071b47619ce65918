/** Which clients may register, and with which metadata (RFC 7591). */
import { beforeAll, describe, expect, it } from 'vitest';
import { oauthCommand } from '../../cli/oauth-command.ts';
import { OPERATOR } from '../harness/owner.ts';
import { startWorld, type World } from '../harness/world.ts';
import { CALLBACK, codeFor, redeem, register, registered, signIn, tokensFor } from './agents.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ env: { OPERATOR_TOKEN: OPERATOR } });
});

describe('a client', () => {
  it('registers as a public one, is told so, and gets no secret', async () => {
    const { status, body, headers } = await register(world, {}, { origin: 'https://page.example' });

    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        client_name: 'Agent',
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      }),
    ]);
    expect(body).not.toHaveProperty('client_secret');
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  it.each([
    ['claude.ai', { redirect_uris: ['https://claude.ai/api/mcp/auth_callback'], token_endpoint_auth_method: 'none' }],
    ['a client with a secret', { token_endpoint_auth_method: 'client_secret_post' }],
    ['the inspector', { redirect_uris: ['http://localhost:6274/oauth/callback'], scope: 'read write everything' }],
    ['a program on ::1', { redirect_uris: ['http://[::1]:9/cb'] }],
    [
      'mcp-remote',
      { redirect_uris: ['http://127.0.0.1:3334/oauth/callback'], software_id: 'x', software_version: '1' },
    ],
    ['an app by its domain', { redirect_uris: ['com.example.app:/oauth/callback'] }],
    ['Cursor', { redirect_uris: ['cursor://anysphere.cursor-retrieval/oauth/callback'], application_type: 'web' }],
    [
      'VS Code',
      {
        redirect_uris: ['http://127.0.0.1/', 'https://vscode.dev/redirect'],
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      },
    ],
  ])('such as %s is registered with the available values', async (_name, metadata) => {
    const { status, body } = await register(world, metadata);

    expect([status, body.token_endpoint_auth_method, body.client_secret]).toEqual([201, 'none', undefined]);
  });

  it.each([
    ['plain http to another machine', { redirect_uris: ['http://evil.example/cb'] }],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }],
    ['data', { redirect_uris: ['data:text/html,x'] }],
    ['a handler of Windows', { redirect_uris: ['ms-msdt:/id'] }],
    ['the source of a page', { redirect_uris: ['view-source:https://agent.example/cb'] }],
    ['a settings page', { redirect_uris: ['x-apple.systempreferences:com.apple.preference'] }],
    ['one good address and one bad', { redirect_uris: [CALLBACK, 'search-ms:query=x'] }],
    ['a fragment', { redirect_uris: ['https://agent.example/#x'] }],
    ['no address', { redirect_uris: [] }],
  ])('that wants a redirect to %s is refused', async (_name, metadata) => {
    const { status, body } = await register(world, metadata);

    expect([status, body.error]).toEqual([400, expect.stringMatching(/^invalid_(redirect_uri|client_metadata)$/)]);
  });

  it.each([
    ['the 31st of a minute', '60', 30],
    ['the one after half of what RATE_LIMIT_PER_MINUTE allows', '80', 40],
  ])('must wait when it is %s from one address', async (_name, limit, allowed) => {
    const busy = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: limit } });
    for (let registered = 0; registered < allowed; registered += 1) expect((await register(busy)).status).toBe(201);

    const { status, headers, body } = await register(busy);

    expect([status, headers.get('retry-after'), body.error]).toEqual([429, '60', 'too many requests']);
    busy.clock.advance(60_000);
    expect((await register(busy)).status).toBe(201);
    await busy.close();
  });

  it.each(['2001:db8:1:2::', '10.0.0.'])(
    'is counted by the address it calls from, not by the one it claims: %s',
    async (said) => {
      const busy = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '60' } });
      const statuses: number[] = [];
      for (let tries = 1; tries <= 31; tries += 1)
        statuses.push((await register(busy, {}, { 'x-forwarded-for': `${said}${tries}` })).status);

      expect(statuses.at(-1)).toBe(429);
      await busy.close();
    },
  );

  it('behind a proxy is counted with all addresses of its network', async () => {
    const busy = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '60', TRUST_PROXY: 'loopback' } });
    const from = async (ip: string) => (await register(busy, {}, { 'x-forwarded-for': ip })).status;
    for (let tries = 1; tries <= 30; tries += 1) expect(await from(`2001:db8:1:2::${tries}`)).toBe(201);

    expect([await from('2001:db8:1:2::ffff'), await from('2001:db8:1:3::1')]).toEqual([429, 201]);
    await busy.close();
  });

  it.each([
    ['with more than 5 KiB to keep', { client_name: 'x'.repeat(5_200) }, 'invalid_client_metadata'],
    [
      'with hundreds of addresses',
      { redirect_uris: Array.from({ length: 300 }, (_, n) => `https://agent.example/${n}`) },
      'invalid_client_metadata',
    ],
    ['with a character 0', { client_name: 'a\0b' }, 'invalid_request'],
    ['with a character 0 in the name of a field', { jwks: { keys: [], 'a\0b': 1 } }, 'invalid_request'],
    ['with half a surrogate pair in the name of a field', { jwks: { keys: [], '\ud800': 1 } }, 'invalid_request'],
    ['with half a character', { client_name: 'a\ud800b' }, 'invalid_request'],
  ])('%s is refused as an error of the client, and not stored', async (_name, metadata, error) => {
    const before = (await world.sql('select 1 from oauth_artifacts')).length;
    const { status, body } = await register(world, metadata);

    expect([status, body.error]).toEqual([400, error]);
    expect((await world.sql('select 1 from oauth_artifacts')).length).toBe(before);
  });

  it.each([
    ['a name', { client_name: { toString: 1 } }, 'invalid_client_metadata', 'client_name must be'],
    ['an address for itself', { client_uri: { toString: 1 } }, 'invalid_client_metadata', 'client_uri must be'],
    ['a redirect', { redirect_uris: [{ toString: 1 }] }, 'invalid_redirect_uri', 'redirect_uris must'],
    ['redirects', { redirect_uris: { toString: 1 } }, 'invalid_redirect_uri', 'redirect_uris must'],
    ['an address of keys', { jwks_uri: { toString: 1 } }, 'invalid_client_metadata', 'jwks_uri must be'],
    ['keys', { jwks: { toString: 1 } }, 'invalid_client_metadata', 'Key Set is invalid'],
  ])('with %s of another type is told which field is wrong', async (_what, metadata, error, description) => {
    const { status, body } = await register(world, metadata);

    expect([status, body]).toEqual([400, { error, error_description: expect.stringContaining(description) }]);
  });

  it.each([31, 28_000])('whose keys are nested %i levels deep is told how deep they may be', async (levels) => {
    // JSON.stringify takes its slow way, which has a limit of depth, for an object with a number as a name.
    const jwks = `{"0":${'['.repeat(levels)}${']'.repeat(levels)}}`;

    const answer = await fetch(`${world.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"redirect_uris":["${CALLBACK}"],"jwks":${jwks}}`,
    });

    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        error: 'invalid_client_metadata',
        error_description: expect.stringMatching(/^jwks(\.0)+…?: expected at most 32 levels of nesting\.$/),
      },
    ]);
  });

  it('gets a new client_id, for any client_id that it requests', async () => {
    const taken = await registered(world);
    const { body } = await register(world, { client_id: taken, redirect_uris: ['https://evil.example/cb'] });

    expect(body.client_id).not.toBe(taken);
    const [stored] = await world.sql<{ uris: string }>(
      `select payload->>'redirect_uris' as uris from oauth_artifacts where payload->>'client_id' = $1`,
      [taken],
    );
    expect(stored?.uris).toContain(CALLBACK);
  });

  it('may send metadata that is not stored', async () => {
    const { status, body } = await register(world, {
      tos_uri: `https://agent.example/${'x'.repeat(20_000)}`,
      logo_uri: 'https://evil.example/pixel.png',
    });

    expect([status, body.logo_uri]).toEqual([201, undefined]);
  });

  it('is deleted after a day without consent, and kept while a grant exists', async () => {
    const [unused, used] = [await registered(world), await registered(world)];
    await tokensFor(world, await signIn(world), { clientId: used });
    world.clock.advance(25 * 3_600_000);
    await world.housekeep();

    const left = await world.sql<{ id: string }>(
      `select payload->>'client_id' as id from oauth_artifacts where kind = 'Client'`,
    );
    expect(left.map(({ id }) => id)).toContain(used);
    expect(left.map(({ id }) => id)).not.toContain(unused);
  });
});

describe('the operator', () => {
  const run = (...args: string[]) => oauthCommand(fetch, args, { PUBLIC_URL: world.url, OPERATOR_TOKEN: OPERATOR });

  it('adds a client that cannot register, which is kept permanently', async () => {
    expect(await run('client', 'add', 'our-agent', CALLBACK)).toBe(
      `client our-agent\n  ${CALLBACK}\nIt has no secret: it proves itself with PKCE.\n`,
    );
    world.clock.advance(90 * 86_400_000);
    await world.housekeep();

    const code = await codeFor(await signIn(world), { clientId: 'our-agent' });
    expect((await redeem(world, 'our-agent', code)).status).toBe(200);
  });

  it.each<[string[], RegExp]>([
    [['client', 'add', 'x'], /Name at least one address/],
    [['client', 'add', 'a b', CALLBACK], /clientId: expected 1 to 80 letters/],
    [['client', 'add', 'x', 'http://evil.example/'], /redirectUris: .*loopback/],
    [['client', 'add', 'x', 'ms-msdt:/id'], /redirectUris: expected https, http on localhost/],
    [['client', 'add', 'x', CALLBACK, '--colour', 'red'], /colour/],
  ])('sees what is wrong with %j', async (args, message) => {
    await expect(run(...args)).rejects.toThrow(message);
  });
});
