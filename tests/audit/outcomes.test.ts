/** The audit entries of changes that are refused, that fail midway, or that arrive without a key. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../harness/accounts.ts';
import { openBrowser } from '../harness/browser.ts';
import { makeLink } from '../harness/connect-links.ts';
import { accountWithSandbox } from '../harness/connections.ts';
import { UNKNOWN_ID, UUID } from '../harness/expected.ts';
import { START } from '../harness/test-clock.ts';
import { startWorld, type World } from '../harness/world.ts';

const OPERATOR_TOKEN = 'operator-token-of-at-least-32-characters';
const world = await startWorld({ env: { OPERATOR_TOKEN } });

// eslint-disable-next-line typescript/no-explicit-any -- tests compare what they read
type Entry = any;

const audit = async (key: string, search = '', at: World = world): Promise<Entry[]> =>
  (await at.rest(`GET /audit${search}`, { key })).body.entries;

/** Makes the database refuse statements of one kind on a table. */
const breakTable = (at: World, table: string, statement: 'insert' | 'update') =>
  at.db.em().transactional(async (em) => {
    const kysely = em.getKysely();
    const { CompiledQuery } = await import('kysely');
    await kysely.executeQuery(
      CompiledQuery.raw(`create function broken() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`),
    );
    await kysely.executeQuery(
      CompiledQuery.raw(`create trigger broken before ${statement} on ${table} for each row execute function broken()`),
    );
  });

describe('a refused change', () => {
  it('is written with its code: validation, an object of another account, and a conflicting state', async () => {
    const { key } = await makeAccount(world);
    await world.rest('POST /profiles', { key, body: { name: 'A', externalId: 'a' } });

    await world.rest('POST /profiles', { key, body: { name: '' } });
    await world.rest(`DELETE /profiles/${UNKNOWN_ID}`, { key });
    await world.rest('POST /profiles', { key, body: { name: 'B', externalId: 'a' } });

    expect((await audit(key)).map(({ operation, object, outcome }) => [operation, object, outcome])).toEqual([
      ['profiles.create', null, 'profile_external_id_conflict'],
      ['profiles.delete', { type: 'profile', ids: [UNKNOWN_ID] }, 'not_found'],
      ['profiles.create', null, 'invalid_request'],
      ['profiles.create', { type: 'profile', ids: [UUID] }, 'ok'],
    ]);
  });

  it('is written when the caller lacks permission, with the profile of the key', async () => {
    const account = await makeAccount(world);
    const profile = await world.profile('A', account.id);
    const scoped = await world.key({ accountId: account.id, profileId: profile.id, type: 'test' });

    await world.rest('POST /profiles', { key: scoped.secret, body: { name: 'B' } });

    expect(await audit(account.key)).toEqual([
      {
        id: UUID,
        at: START.toISOString(),
        actor: { kind: 'key', id: scoped.id, name: 'A key' },
        surface: 'rest',
        operation: 'profiles.create',
        object: null,
        outcome: 'forbidden',
        mode: 'test',
        profileId: profile.id,
        requestId: UUID,
      },
    ]);
  });

  it('names its subject by ids only', async () => {
    const { key } = await makeAccount(world);

    await world.rest(`DELETE /posts/crl_live_secret`, { key });

    expect(await audit(key)).toMatchObject([
      { operation: 'posts.delete', object: null, outcome: 'delete_unsupported' },
    ]);
  });

  it('names the post of a plain-text request, although the answer is a refusal', async () => {
    const { key } = await accountWithSandbox(world);

    await world.rest('POST /post/sandbox', { key, raw: '[[reject]]', headers: { 'content-type': 'text/plain' } });

    const { body } = await world.rest('GET /posts', { key });
    expect((await audit(key))[0]).toMatchObject({
      operation: 'posts.createSimple',
      object: { type: 'post', ids: [body.posts[0].id] },
      outcome: 'platform_rejected',
    });
  });

  it('is not written without a key, over the rate limit, or when the request cannot be parsed', async () => {
    await using limited = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '1' } });
    const { key } = await makeAccount(limited);

    const statuses = [
      await limited.rest('POST /profiles', { key: 'wrong', body: { name: 'A' } }),
      await limited.rest('POST /profiles', { key, raw: '{' }),
      await limited.rest('POST /profiles', { key, body: { name: 'A' } }),
      await limited.rest('POST /profiles', { key, body: { name: 'A' } }),
    ].map(({ status }) => status);

    expect(statuses).toEqual([401, 400, 200, 429]);
    expect(await audit(key, '', limited)).toMatchObject([{ operation: 'profiles.create', outcome: 'ok' }]);
  });
});

describe('a change that fails midway', () => {
  it('is written with its error, not as ok, when it was rolled back', async () => {
    await using broken = await startWorld();
    await breakTable(broken, 'profiles', 'insert');

    const { status } = await broken.rest('POST /profiles', { body: { name: 'A' } });

    expect(status).toBe(500);
    expect(await audit(broken.liveKey, '', broken)).toMatchObject([{ object: null, outcome: 'internal_server_error' }]);
  });

  it('has no outcome when its process died midway', async () => {
    const account = await makeAccount(world);
    await world.context.audit.begin({
      accountId: account.id,
      actor: { kind: 'key', id: UNKNOWN_ID, name: 'A key' },
      surface: 'rest',
      operation: 'posts.create',
      object: null,
      mode: 'live',
      profileId: null,
      requestId: UNKNOWN_ID,
    });

    expect(await audit(account.key, '?outcome=none')).toMatchObject([{ operation: 'posts.create', outcome: null }]);
  });

  it('does not start when the audit entry cannot be written', async () => {
    await using broken = await startWorld();
    await breakTable(broken, 'audit_entries', 'insert');

    const { status } = await broken.rest('POST /profiles', { body: { name: 'A' } });

    expect(status).toBe(500);
    expect((await broken.rest('GET /profiles')).body.profiles).toEqual([]);
  });

  it('is answered, and has no outcome, when the audit entry cannot be completed afterwards', async () => {
    await using broken = await startWorld();
    await breakTable(broken, 'audit_entries', 'update');

    const { status } = await broken.rest('POST /profiles', { body: { name: 'A' } });

    expect(status).toBe(200);
    expect(await audit(broken.liveKey, '', broken)).toMatchObject([{ operation: 'profiles.create', outcome: null }]);
  });
});

describe('without a key', () => {
  it('a customer who connects an account is recorded with the session and the name of the profile', async () => {
    const account = await makeAccount(world);
    const profile = await world.profile('Acme Bells', account.id);
    const link = await makeLink(world, { platform: 'sandbox' }, { key: account.key, profileId: profile.id });
    const browser = openBrowser(world);

    await browser.press(await browser.get(link.path), 'Connect');

    const { body } = await world.rest(`GET /connect-sessions/${link.sessionId}`, { key: account.key });
    expect((await audit(account.key))[0]).toEqual({
      id: UUID,
      at: START.toISOString(),
      actor: { kind: 'customer', id: link.sessionId, name: 'Acme Bells' },
      surface: 'connect_page',
      operation: 'connect.link',
      object: { type: 'connection', ids: [body.connectSession.connectionId] },
      outcome: 'ok',
      mode: 'live',
      profileId: profile.id,
      requestId: null,
    });
  });

  it('a change of an account by the operator is recorded, and a read is not', async () => {
    const account = await makeAccount(world);
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' };
    await fetch(`${world.url}/operator/accounts`, { headers });

    const { status } = await fetch(`${world.url}/operator/accounts/${account.id}`, {
      method: 'PATCH',
      headers,
      body: JSON.stringify({ plan: 'pro' }),
    });

    expect(status).toBe(200);
    expect(await audit(account.key)).toEqual([
      {
        id: UUID,
        at: START.toISOString(),
        actor: { kind: 'operator', id: 'operator', name: 'operator' },
        surface: 'operator',
        operation: 'account.operate',
        object: { type: 'account', ids: [account.id] },
        outcome: 'ok',
        mode: 'live',
        profileId: null,
        requestId: UUID,
      },
    ]);
  });
});
