/** The console of a signed-in owner: it works without a key, only for that owner, and only from our own page. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../harness/accounts.ts';
import { type Browser, openBrowser } from '../harness/browser.ts';
import { refusal, UUID } from '../harness/expected.ts';
import { EMAIL, OWNER_ENV, ownerLink, PASSWORD, signedInBrowser } from '../harness/owner.ts';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });
const [{ id: ownerId }] = (await world.sql<{ id: string }>('select id from owners')) as [{ id: string }];

const NOT_SIGNED_IN = refusal('unauthorized', 'No one is signed in in this browser. Open the page again and sign in.');
const NOT_OURS = refusal('forbidden', 'This request did not come from an open Carillon page. Open the page again.');

const metaOf = (text: string) => /<meta name="carillon-csrf" content="([^"]+)"/.exec(text)?.[1];

async function tokenOf(browser: Browser): Promise<string> {
  return metaOf((await browser.get('/')).text) ?? '';
}

interface Call {
  readonly input?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly search?: string;
  readonly at?: World;
}

/** Calls the API as a script would, with the cookies of a browser. */
async function call(browser: Browser, operation: string, { input = {}, headers, method, search, at }: Call = {}) {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(`${(at ?? world).url}/owner/trpc/${operation}${search ?? ''}`, {
    method: method ?? 'POST',
    headers: { 'content-type': 'application/json', ...(cookie !== '' && { cookie }), ...headers },
    ...((method ?? 'POST') === 'POST' && { body: JSON.stringify(input) }),
  });
  const text = await response.text();
  // eslint-disable-next-line typescript/no-explicit-any -- the tests assert the fields that they read
  const body = (text === '' ? null : JSON.parse(text)) as any;
  return { status: response.status, headers: response.headers, body };
}

/** A signed-in browser, and the headers that its script sends. */
async function openConsole(at: World = world) {
  const browser = await signedInBrowser(at);
  const headers = { 'x-carillon-csrf': await tokenOf(browser), 'sec-fetch-site': 'same-origin', origin: PUBLIC_URL };
  return { browser, headers };
}

describe('the page', () => {
  it('names no person and holds no key for a visitor, sets no cookie, and links to the sign-in without scripts', async () => {
    const { text, headers } = await openBrowser(world).get('/posts?status=failed');

    expect(text).toContain('<a href="/sign-in?next=%2Fposts%3Fstatus%3Dfailed">');
    expect(metaOf(text)).toBeUndefined();
    expect(text).not.toMatch(/carillon-email|crl_(live|test)_/);
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('tells the app who is signed in', async () => {
    const { text } = await (await signedInBrowser(world)).get('/');

    expect(text).toContain(`<meta name="carillon-email" content="${EMAIL}" />`);
    expect(metaOf(text)).toMatch(/^[\w-]{43}$/);
  });

  it('signs out', async () => {
    const browser = await signedInBrowser(world);

    const answer = await browser.post('/sign-out', { csrf: await tokenOf(browser) });

    expect([answer.status, answer.location]).toEqual([303, '/sign-in']);
    expect(metaOf((await browser.get('/')).text)).toBeUndefined();
  });
});

describe('a call', () => {
  it('reads and changes the account of the signed-in owner, without a key', async () => {
    const { browser, headers } = await openConsole();
    const input = { text: 'Ding', connectionSlugs: [world.sandboxSlug] };

    const made = await call(browser, 'posts.create', { input, headers });
    const listed = await call(browser, 'posts.list', { headers });
    const batch = { search: '?batch=1', input: { 0: {}, 1: {} }, headers };
    const both = await call(browser, 'posts.list,connections.list', batch);

    expect(made.body.result.data.results).toMatchObject([{ connectionSlug: world.sandboxSlug, status: 'sent' }]);
    expect(listed.status).toBe(200);
    expect(listed.body.result.data.posts[0].id).toBe(made.body.result.data.results[0].postId);
    expect(both.body).toHaveLength(2);
    expect(listed.headers.get('cache-control')).toBe('no-store');
    expect(listed.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('reaches its account and no other', async () => {
    const account = await makeAccount(world);
    const stranger = openBrowser(world);
    const form = await stranger.get(await ownerLink(world, account.id));
    await stranger.press(form, 'Set up', { Email: `${account.id}@bells.example`, Password: PASSWORD });
    const headers = { 'x-carillon-csrf': await tokenOf(stranger), 'sec-fetch-site': 'same-origin' };

    const { body } = await call(stranger, 'connections.list', { headers });
    const keys = await call(stranger, 'keys.list', { headers });

    expect(body.result.data.connections).toEqual([]);
    expect(keys.body.result.data.keys).toHaveLength(1);
  });

  it('may read without an Origin header, when Sec-Fetch-Site says same-origin', async () => {
    const { browser, headers } = await openConsole();
    const { 'x-carillon-csrf': csrf } = headers;
    const search = `?input=${encodeURIComponent('{}')}`;

    const said = await call(browser, 'posts.list', {
      method: 'GET',
      search,
      headers: { 'x-carillon-csrf': csrf, 'sec-fetch-site': 'same-origin' },
    });
    const plain = await call(browser, 'posts.list', { headers: { 'x-carillon-csrf': csrf, origin: PUBLIC_URL } });

    expect([said.status, plain.status]).toEqual([200, 200]);
  });

  it('changes nothing by GET', async () => {
    const { browser, headers } = await openConsole();
    const search = `?input=${encodeURIComponent(JSON.stringify({ name: 'By GET' }))}`;

    const { status } = await call(browser, 'profiles.create', { method: 'GET', search, headers });

    expect(status).toBe(405);
  });

  it('is audited with the person', async () => {
    const { browser, headers } = await openConsole();

    const { body } = await call(browser, 'profiles.create', { input: { name: 'A' }, headers });

    const { profile } = body.result.data;
    expect((await world.rest('GET /audit?limit=1')).body.entries).toEqual([
      {
        id: UUID,
        at: world.clock.now().toISOString(),
        actor: { kind: 'person', id: ownerId, name: EMAIL },
        surface: 'console',
        operation: 'profiles.create',
        object: { type: 'profile', ids: [profile.id] },
        outcome: 'ok',
        mode: 'live',
        profileId: null,
        requestId: UUID,
      },
    ]);
  });

  it('creates a link for a customer, which belongs to no key', async () => {
    const { browser, headers } = await openConsole();
    const profile = await world.profile('A customer');
    const input = { profileId: profile.id, redirectUrl: 'https://app.example/done' };

    const { status, body } = await call(browser, 'connect.create', { input, headers });

    expect(status).toBe(200);
    const path = new URL(body.result.data.url).pathname;
    expect((await openBrowser(world).get(path)).status).toBe(200);
  });

  it('counts in the bucket of the owner, in each browser', async () => {
    await using limited = await startWorld({ env: { ...OWNER_ENV, RATE_LIMIT_PER_MINUTE: '2' } });
    const first = await openConsole(limited);
    const second = await openConsole(limited);
    const list = ({ browser, headers }: typeof first) => call(browser, 'posts.list', { headers, at: limited });

    const answers = [await list(first), await list(second), await list(first)];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['1', '0', '0']);
    expect((await limited.rest('GET /posts')).status).toBe(200);
  });
});

describe('a call is refused', () => {
  it.each<[string, (csrf: string, foreign: string) => Record<string, string>]>([
    ['without the token', () => ({ 'sec-fetch-site': 'same-origin', origin: PUBLIC_URL })],
    ['with an empty token', () => ({ 'x-carillon-csrf': '', 'sec-fetch-site': 'same-origin' })],
    ["with another browser's token", (_, foreign) => ({ 'x-carillon-csrf': foreign, 'sec-fetch-site': 'same-origin' })],
    ['from another site', (csrf) => ({ 'x-carillon-csrf': csrf, 'sec-fetch-site': 'cross-site', origin: PUBLIC_URL })],
    ['from a neighbouring host', (csrf) => ({ 'x-carillon-csrf': csrf, 'sec-fetch-site': 'same-site' })],
    ['by an address that was typed', (csrf) => ({ 'x-carillon-csrf': csrf, 'sec-fetch-site': 'none' })],
    ['from another origin', (csrf) => ({ 'x-carillon-csrf': csrf, origin: 'https://evil.example' })],
    ['from an origin that is not named', (csrf) => ({ 'x-carillon-csrf': csrf, origin: 'null' })],
    ['by what says nothing of where it comes from', (csrf) => ({ 'x-carillon-csrf': csrf })],
  ])('%s, in writing and reading', async (_case, forge) => {
    const foreign = (await openConsole()).headers['x-carillon-csrf'];
    const { browser, headers } = await openConsole();
    const forged = forge(headers['x-carillon-csrf'], foreign);

    const posted = await call(browser, 'profiles.create', { input: { name: 'Forged' }, headers: forged });
    const read = await call(browser, 'posts.list', { method: 'GET', search: '?input=%7B%7D', headers: forged });

    expect([posted.status, posted.body]).toEqual([403, NOT_OURS]);
    expect([read.status, read.body]).toEqual([403, NOT_OURS]);
    const { body } = await world.rest('GET /profiles?limit=100');
    expect(body.profiles.map(({ name }: { name: string }) => name)).not.toContain('Forged');
  });

  it('without a sign-in, with any key or token', async () => {
    const { browser, headers } = await openConsole();
    const anonymous = openBrowser(world);
    const bearer = { ...headers, authorization: `Bearer ${world.liveKey}` };

    const answers = [
      await call(anonymous, 'posts.list', { headers }),
      await call(anonymous, 'posts.list', { headers: { ...headers, 'x-api-key': world.liveKey } }),
      await call(anonymous, 'posts.list', { headers: bearer }),
      await call(anonymous, 'posts.list', { search: `?csrf=${headers['x-carillon-csrf']}` }),
    ];
    await browser.post('/sign-out', { csrf: headers['x-carillon-csrf'] });
    answers.push(await call(browser, 'posts.list', { headers }));

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(answers.map(({ body }) => body)).toEqual(answers.map(() => NOT_SIGNED_IN));
  });

  it('with the token in its address', async () => {
    const { browser, headers } = await openConsole();
    const { 'x-carillon-csrf': csrf, ...rest } = headers;

    const { status } = await call(browser, 'posts.list', {
      search: `?csrf=${csrf}&x-carillon-csrf=${csrf}`,
      headers: rest,
    });

    expect(status).toBe(403);
  });

  it('with a key of another account it still acts for the owner', async () => {
    const { browser, headers } = await openConsole();
    const other = await makeAccount(world);

    const { body } = await call(browser, 'connections.list', { headers: { ...headers, 'x-api-key': other.key } });

    expect(body.result.data.connections.length).toBeGreaterThan(0);
  });

  it('and CORS allows no other origin', async () => {
    const { browser, headers } = await openConsole();
    const origin = 'https://evil.example';

    const preflight = await call(browser, 'posts.list', { method: 'OPTIONS', headers: { origin } });
    const answered = await call(browser, 'posts.list', { headers });

    for (const answer of [preflight, answered])
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(preflight.status).toBe(403);
  });
});
