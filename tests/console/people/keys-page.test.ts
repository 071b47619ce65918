/** /owner/keys: an owner creates, lists and revokes account keys (docs/contract/profiles-and-keys.md#account-keys). */
import { beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { type Browser, openBrowser } from '../../harness/browser.ts';
import { OWNER_ENV, PASSWORD, signedInBrowser } from '../../harness/owner.ts';
import { startWorld, type World } from '../../harness/world.ts';

let world: World;
let browser: Browser;
beforeAll(async () => {
  world = await startWorld({ env: OWNER_ENV });
  browser = await signedInBrowser(world);
});

const csrfOf = (text: string) => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
const secretIn = (text: string) => /crl_(?:live|test)_[A-Za-z0-9]{40}/.exec(text)?.[0] ?? '';
const statusOf = async (key: string) => (await world.rest('GET /keys', { key })).status;

async function create(fields: Record<string, string> = {}) {
  const page = await browser.get('/owner/keys');
  const typed = { name: 'Server', type: 'live', password: PASSWORD, ...fields };
  return browser.post('/owner/keys', { csrf: csrfOf(page.text), ...typed });
}

async function revoke(keyId: string, what = 'key') {
  const page = await browser.get('/owner/keys');
  return browser.post('/owner/keys/revoke', { csrf: csrfOf(page.text), keyId, what });
}

async function idOf(secret: string): Promise<string> {
  const prefix = secret.slice(0, 14);
  const [row] = await world.sql<{ id: string }>('select id from api_keys where prefix = $1', [prefix]);
  return row?.id ?? '';
}

describe('the page', () => {
  it('requires a sign-in, and needs no script', async () => {
    const stranger = await openBrowser(world).get('/owner/keys');
    const { text, headers } = await browser.get('/owner/keys');

    expect([stranger.status, stranger.location]).toEqual([303, '/sign-in?next=%2Fowner%2Fkeys']);
    expect(text).toContain('First live key');
    expect(text).not.toContain('<script');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('shows no key of a profile, and none of another account', async () => {
    const profile = await world.profile();
    const [own, foreign] = [await world.key({ profileId: profile.id }), await makeAccount(world)];

    const { text } = await browser.get('/owner/keys');

    expect(text).not.toContain(own.id);
    for (const { id } of await world.sql<{ id: string }>('select id from api_keys where account_id = $1', [foreign.id]))
      expect(text).not.toContain(id);
  });
});

describe('a new key', () => {
  it.each([
    ['live', { name: 'The <Server>', password: 'not the password' }],
    ['test', { name: 'The <Server>', password: 'not the password' }],
    ['live', { name: `The <Server> ${'n'.repeat(80)}` }],
  ])('that is refused leaves its name and type (%s) in the form, and no password', async (type, fields) => {
    const { text } = await create({ type, ...fields });
    const [name, select, password] = [
      /<input[^>]*id="name"[^>]*>/,
      /<select.*?<\/select>/s,
      /<input[^>]*id="password"[^>]*>/,
    ].map((part) => part.exec(text)?.[0] ?? '');

    expect(name).toContain(`value="${fields.name.replace('<', '&lt;').replace('>', '&gt;')}"`);
    expect([...String(select).matchAll(/value="(\w+)" selected/g)].map(([, value]) => value)).toEqual([type]);
    expect(password).toContain('value=""');
  });

  it.each(['live', 'test'])('reaches the whole account, is %s, and is displayed once', async (type) => {
    const { status, text } = await create({ type, name: ' <Server> ' });
    const secret = secretIn(text);
    const later = await browser.get('/owner/keys');

    expect([status, secret.startsWith(`crl_${type}_`), await statusOf(secret)]).toEqual([200, true, 200]);
    expect(later.text).toContain('&lt;Server&gt;');
    expect(later.text).not.toContain(secret);
  });

  it.each<[string, Record<string, string>, number]>([
    ['the password is wrong', { password: 'not the password' }, 401],
    ['it has no name', { name: ' ' }, 400],
    ['its name is too long', { name: 'n'.repeat(81) }, 400],
    ['its type is unknown', { type: 'both' }, 400],
    ['the form came from elsewhere', { csrf: 'x' }, 403],
  ])('is not created when %s', async (_name, fields, status) => {
    const before = await world.sql('select id from api_keys');
    const answer = await create(fields);

    expect([answer.status, secretIn(answer.text)]).toEqual([status, '']);
    expect(await world.sql('select id from api_keys')).toHaveLength(before.length);
  });

  it('is refused when fifty of its type exist', async () => {
    await using full = await startWorld({ env: OWNER_ENV });
    for (let made = 1; made < 50; made += 1) await full.key();
    const owner = await signedInBrowser(full);
    const csrf = csrfOf((await owner.get('/owner/keys')).text);

    const { status, text } = await owner.post('/owner/keys', { csrf, name: 'More', type: 'live', password: PASSWORD });

    expect(status).toBe(403);
    expect(text).toContain('The account has 50 live keys without a profile; the limit is 50.');
  });
});

describe('rotation', () => {
  it('causes no interruption: create, switch, revoke', async () => {
    const profile = await world.profile();
    const old = secretIn((await create()).text);
    const minted = await world.rest(`POST /profiles/${profile.id}/keys`, {
      key: old,
      body: { name: 'Customer', type: 'live' },
    });
    const next = secretIn((await create()).text);

    const revoked = await revoke(await idOf(old));

    expect([revoked.status, revoked.location]).toEqual([303, '/owner/keys?done=revoked']);
    expect([await statusOf(old), await statusOf(next)]).toEqual([401, 200]);
    expect((await world.rest('GET /posts', { key: minted.body.secret })).status).toBe(200);
  });

  it('revokes the keys that a leaked key has minted', async () => {
    const profile = await world.profile();
    const leaked = secretIn((await create()).text);
    const body = { name: 'Customer', type: 'live' };
    const minted = await world.rest(`POST /profiles/${profile.id}/keys`, { key: leaked, body });

    await revoke(await idOf(leaked), 'minted');

    expect((await world.rest('GET /posts', { key: minted.body.secret })).status).toBe(401);
  });

  it('leaves the keys of other accounts unchanged', async () => {
    const foreign = await makeAccount(world);
    const [key] = await world.sql<{ id: string }>('select id from api_keys where account_id = $1', [foreign.id]);

    const answer = await revoke(key?.id ?? '');

    expect(answer.status).toBe(404);
    expect(await statusOf(foreign.key)).toBe(200);
  });
});
