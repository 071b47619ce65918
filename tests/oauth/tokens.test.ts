/** Codes and refresh tokens: valid once, for one client, and never for longer than granted. */
import { beforeAll, describe, expect, it } from 'vitest';
import { TEST_DATABASE_URL } from '../harness/database.ts';
import { startPeer } from '../harness/peer.ts';
import { serveApp } from '../harness/serve-app.ts';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';
import {
  CALLBACK,
  callTool,
  codeFor,
  type Person,
  postForm,
  redeem,
  refresh,
  registered,
  RESOURCE,
  signIn,
  type Tokens,
  tokensFor,
} from './agents.ts';

let world: World;
let person: Person;
beforeAll(async () => {
  world = await startWorld();
  person = await signIn(world);
});

const works = async (token: string) => (await callTool(world, token, 'list_connections')).status === 200;

async function aCode(): Promise<{ clientId: string; code: string }> {
  const clientId = await registered(world);
  return { clientId, code: await codeFor(person, { clientId }) };
}

describe('a code', () => {
  it.each<[string, Record<string, string>]>([
    ['with another verifier', { code_verifier: 'w'.repeat(43) }],
    ['with another address', { redirect_uri: `${CALLBACK}2` }],
    ['that was never issued', { code: 'x'.repeat(43) }],
  ])('%s is refused', async (_name, fields) => {
    const { clientId, code } = await aCode();
    const { status, body } = await redeem(world, clientId, code, fields);

    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  });

  it('is invalid for another resource than it was requested for', async () => {
    const { clientId, code } = await aCode();
    const { status, body } = await redeem(world, clientId, code, { resource: 'https://other.example/mcp' });

    expect([status, body.error]).toEqual([400, 'invalid_target']);
  });

  it('is invalid for another client', async () => {
    const { code } = await aCode();

    expect((await redeem(world, await registered(world), code)).body.error).toBe('invalid_grant');
  });

  it('lasts one minute', async () => {
    const { clientId, code } = await aCode();
    world.clock.advance(62_000);

    expect((await redeem(world, clientId, code)).body.error).toBe('invalid_grant');
  });

  it('that is used a second time revokes the tokens of the first use', async () => {
    const { clientId, code } = await aCode();
    const { body } = await redeem(world, clientId, code);
    const again = await redeem(world, clientId, code);

    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    expect(await works(body.access_token)).toBe(false);
    expect((await refresh(world, clientId, body.refresh_token)).status).toBe(400);
  });

  it('that arrives six times at once is accepted once', async () => {
    const { clientId, code } = await aCode();
    const answers = await Promise.all(Array.from({ length: 6 }, () => redeem(world, clientId, code)));

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400, 400, 400]);
  });
});

describe('a refresh token', () => {
  const next = async ({ clientId, refresh: token }: Tokens) => (await refresh(world, clientId, token)).body;

  it('is replaced each time, and the new one works', async () => {
    const tokens = await tokensFor(world, person);
    const body = await next(tokens);

    expect(body).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      expires_in: 600,
      scope: 'connections:read posts:read',
      token_type: 'Bearer',
    });
    expect(body.refresh_token).not.toBe(tokens.refresh);
    expect(await works(body.access_token)).toBe(true);
  });

  it('that is used again within ten seconds is a retry, also six times at once: all get one successor', async () => {
    const tokens = await tokensFor(world, person);
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(world, tokens.clientId, tokens.refresh)));
    world.clock.advance(10_000);
    const late = await refresh(world, tokens.clientId, tokens.refresh);

    const all = [...answers, late];
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200]);
    expect(new Set(all.map(({ body }) => body.refresh_token)).size).toBe(1);
    const [stored] = await world.sql<{ count: number }>(
      `select count(*)::int as count from oauth_artifacts where kind = 'RefreshToken' and consumed_at is null
         and payload->>'clientId' = $1`,
      [tokens.clientId],
    );
    expect(stored?.count).toBe(1);
    expect(await works(late.body.access_token)).toBe(true);
  });

  it.skipIf(TEST_DATABASE_URL === undefined)(
    'gets one successor from all processes that share the database',
    async () => {
      const shared = await startWorld({ env: { ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64') } });
      const tokens = await tokensFor(shared, await signIn(shared));
      const { url } = await serveApp(await startPeer(shared));
      const other = { url } as World;
      const places = [shared, other, shared, other, shared, other];
      const answers = await Promise.all(places.map((place) => refresh(place, tokens.clientId, tokens.refresh)));

      expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
    },
  );

  it('has a successor that is used up like any other, also when the answer to a retry shows it again', async () => {
    const tokens = await tokensFor(world, person);
    const { refresh_token: successor } = await next(tokens);
    await refresh(world, tokens.clientId, successor);
    const shownAgain = await next(tokens);
    world.clock.advance(12_000);
    const replayed = await refresh(world, tokens.clientId, successor);

    expect(shownAgain.refresh_token).toBe(successor);
    expect([replayed.status, replayed.body.error]).toEqual([400, 'invalid_grant']);
    expect(await works(shownAgain.access_token)).toBe(false);
  });

  it('that is used again later is a theft: the whole family ends at once', async () => {
    const tokens = await tokensFor(world, person);
    const newer = await next(tokens);
    world.clock.advance(12_000);
    const replayed = await refresh(world, tokens.clientId, tokens.refresh);

    expect([replayed.status, replayed.body.error]).toEqual([400, 'invalid_grant']);
    expect(await works(tokens.access)).toBe(false);
    expect(await works(newer.access_token)).toBe(false);
    expect((await refresh(world, tokens.clientId, newer.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('may request fewer scopes, and never more', async () => {
    const tokens = await tokensFor(world, person);
    const less = await refresh(world, tokens.clientId, tokens.refresh, { scope: 'posts:read' });
    const more = await refresh(world, tokens.clientId, less.body.refresh_token, { scope: 'posts:read keys:write' });

    expect([less.body.scope, more.status, more.body.error]).toEqual(['posts:read', 400, 'invalid_scope']);
  });

  it('is invalid for another client', async () => {
    const tokens = await tokensFor(world, person);

    expect((await refresh(world, await registered(world), tokens.refresh)).body.error).toBe('invalid_grant');
    expect(await works(tokens.access)).toBe(true);
  });

  it.each(['/api/v2', '/elsewhere'])('is not used up by a refresh for another resource: %s', async (path) => {
    const tokens = await tokensFor(world, person);
    const other = await refresh(world, tokens.clientId, tokens.refresh, { resource: PUBLIC_URL + path });
    world.clock.advance(12_000);
    const { status, body } = await refresh(world, tokens.clientId, tokens.refresh);

    expect([other.status, other.body.error]).toEqual([400, 'invalid_target']);
    expect(status).toBe(200);
    expect(await works(body.access_token)).toBe(true);
  });

  it('is not used up by a process with another PUBLIC_URL', async () => {
    const tokens = await tokensFor(world, person);
    const config = { ...world.context.config, publicUrl: 'https://elsewhere.example' };
    const { url } = await serveApp({ ...world.context, config });
    const other = await refresh({ url } as World, tokens.clientId, tokens.refresh);
    world.clock.advance(12_000);

    expect([other.status, other.body.error]).toEqual([400, 'invalid_target']);
    expect((await refresh(world, tokens.clientId, tokens.refresh)).status).toBe(200);
  });

  it('names its resource once or several times', async () => {
    const tokens = await tokensFor(world, person);
    const fields = { grant_type: 'refresh_token', client_id: tokens.clientId, refresh_token: tokens.refresh };
    const named = [RESOURCE, `${PUBLIC_URL}/api/v2`].map((resource): [string, string] => ['resource', resource]);
    const { status } = await fetch(`${world.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams([...Object.entries(fields), ...named]),
    });

    expect(status).toBe(200);
  });

  it('is not issued to a client that registered without it', async () => {
    const clientId = await registered(world, { grant_types: ['authorization_code'] });
    const { body } = await redeem(world, clientId, await codeFor(person, { clientId }));

    expect(body).not.toHaveProperty('refresh_token');
  });
});

describe('a client that revokes its refresh token', () => {
  it('loses access immediately', async () => {
    const { clientId, access, refresh: token } = await tokensFor(world, person);
    expect(await works(access)).toBe(true);
    const { status } = await postForm(world, '/oauth/revoke', { client_id: clientId, token });

    expect(status).toBe(200);
    expect(await works(access)).toBe(false);
    expect((await refresh(world, clientId, token)).body.error).toBe('invalid_grant');
  });

  it('cannot revoke a token of another client', async () => {
    const { access, refresh: token } = await tokensFor(world, person);
    await postForm(world, '/oauth/revoke', { client_id: await registered(world), token });

    expect(await works(access)).toBe(true);
  });
});

describe('what is stored', () => {
  it('contains no code, no token and no id of a request', async () => {
    const clientId = await registered(world);
    const uid = (await person.browser.get(`/oauth/authorize?x=1`)).location ?? '';
    const code = await codeFor(person, { clientId });
    const { body } = await redeem(world, clientId, code);
    const rows = await world.sql('select * from oauth_artifacts');
    const text = JSON.stringify(rows) + JSON.stringify(await world.sql('select * from oauth_keys'));

    for (const secret of [code, body.refresh_token, body.access_token, uid].filter((value) => value !== '')) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toContain('"d":');
  });

  it('is deleted after it has expired', async () => {
    await tokensFor(world, person);
    world.clock.advance(91 * 86_400_000);
    await world.housekeep();

    expect(await world.sql(`select kind from oauth_artifacts where kind <> 'Client'`)).toEqual([]);
    expect(await world.sql('select id from oauth_grants')).toEqual([]);
  });
});
