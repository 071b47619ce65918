/** /sign-in and /sign-out: who may sign in, what the browser stores, and for how long. */
import { describe, expect, it } from 'vitest';
import { signInAddress } from '../../../console/people/signed-in.ts';
import { openBrowser } from '../../harness/browser.ts';
import { EMAIL, OWNER_ENV, PASSWORD, signedInBrowser } from '../../harness/owner.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });
const DAY_MS = 86_400_000;

const isSignedIn = async (browser: ReturnType<typeof openBrowser>) => (await browser.get('/owner')).status === 200;

describe('signing in', () => {
  it('redirects to the owner page, and shows who is signed in', async () => {
    const browser = openBrowser(world);

    const form = await browser.get('/sign-in');
    const answer = await browser.press(form, 'Sign in', { Email: EMAIL, Password: PASSWORD });

    expect([answer.status, answer.location]).toEqual([303, '/owner']);
    expect((await browser.get('/owner')).text).toContain(`<strong dir="auto">${EMAIL}</strong>`);
  });

  it('accepts the address in any case, and the password in any Unicode composition', async () => {
    await using other = await startWorld({ env: { ...OWNER_ENV, OWNER_PASSWORD: 'Glockenspiel im Mär\u0308z' } });
    const browser = openBrowser(other);

    const typed = { Email: ' Owner@Bells.Example ', Password: 'Glockenspiel im Ma\u0308r\u0308z' };
    const answer = await browser.press(await browser.get('/sign-in'), 'Sign in', typed);

    expect(answer.status).toBe(303);
  });

  it('answers an unknown address and a wrong password alike, except for the typed address', async () => {
    const browser = openBrowser(world);
    const form = await browser.get('/sign-in');

    const wrong = await browser.press(form, 'Sign in', { Email: EMAIL, Password: 'four bells at noon' });
    const unknown = await browser.press(form, 'Sign in', { Email: 'unknown@bells.example', Password: PASSWORD });
    const none = await browser.press(form, 'Sign in', { Email: 'unknown', Password: PASSWORD });

    const broken = await browser.press(form, 'Sign in', { Email: 'owner\0@bells.example', Password: PASSWORD });

    expect([wrong, unknown, none, broken].map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(wrong.text).toContain('<div class="problem" role="alert"><p>Email or password is wrong.</p></div>');
    expect(unknown.text.replace('unknown@bells.example', EMAIL)).toBe(wrong.text);
    expect(wrong.text).not.toContain('four bells');
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('refuses an API key', async () => {
    const headers = { 'x-api-key': world.liveKey, authorization: `Bearer ${world.liveKey}` };

    const page = await openBrowser(world).get('/owner', headers);
    const asEmail = openBrowser(world);
    const form = await asEmail.press(await asEmail.get('/sign-in'), 'Sign in', {
      Email: EMAIL,
      Password: world.liveKey,
    });

    expect([page.status, page.location]).toEqual([303, '/sign-in?next=%2Fowner']);
    expect(form.status).toBe(401);
  });

  it('does not authenticate a browser for the API', async () => {
    const browser = await signedInBrowser(world);

    expect((await browser.get('/api/v2/account')).status).toBe(401);
  });
});

describe('the redirect afterwards', () => {
  it.each([
    ['/owner?done=password', '/owner?done=password'],
    ['/oauth/authorize?a=b&c=%2F', '/oauth/authorize?a=b&c=%2F'],
    ['https://evil.example/', '/owner'],
    ['//evil.example/', '/owner'],
    ['/\\evil.example', '/owner'],
    ['/.//evil.example', '/owner'],
    ['/\t/evil.example', '/owner'],
    ['javascript:alert(1)', '/owner'],
    ['evil.example', '/owner'],
  ])('%s leads to %s', async (next, expected) => {
    const browser = openBrowser(world);

    const form = await browser.get(signInAddress(next));
    const answer = await browser.press(form, 'Sign in', { Email: EMAIL, Password: PASSWORD });
    const again = await browser.get(signInAddress(next));

    expect([answer.location, again.location]).toEqual([expected, expected]);
  });

  it('is validated again when the form arrives, and kept when it was refused', async () => {
    const browser = openBrowser(world);
    const form = await browser.get('/sign-in?next=%2Fowner%3Fdone%3Dpassword');

    const refused = await browser.press(form, 'Sign in', { Email: EMAIL, Password: 'no' });
    const forged = { ...form, text: form.text.replace('/owner?done=password', '//evil.example') };
    const answer = await browser.press(forged, 'Sign in', { Email: EMAIL, Password: PASSWORD });

    expect(refused.text).toContain('name="next" value="/owner?done=password"');
    expect(answer.location).toBe('/owner');
  });
});

describe('the cookie', () => {
  it('is inaccessible to scripts and other sites, and carries no information', async () => {
    const browser = await signedInBrowser(world);

    const [cookie = ''] = browser.setCookies.filter((set) => set.startsWith('carillon='));

    expect(cookie).toMatch(/^carillon=[\w-]{43}\.[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/);
    const [{ secret_hash: kept }] = (await world.sql<{ secret_hash: string }>(
      'select secret_hash from sign_ins order by id desc limit 1',
    )) as [{ secret_hash: string }];
    expect(kept).toMatch(/^[0-9a-f]{64}$/);
    expect(cookie).not.toContain(kept);
  });

  it('is limited to this host, and to https when PUBLIC_URL is https', async () => {
    await using secure = await startWorld({ env: { ...OWNER_ENV, PUBLIC_URL: 'https://bells.example' } });

    const browser = await signedInBrowser(secure);

    expect(browser.setCookies).toEqual([
      expect.stringMatching(/^__Host-carillon-visit=\S+; Max-Age=7200; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      expect.stringMatching(/^__Host-carillon=\S+; Max-Age=7776000; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
  });

  it('is new with each sign-in, and the previous one is invalid', async () => {
    const browser = await signedInBrowser(world);
    const before = browser.cookies.get('carillon') ?? '';
    const planted = openBrowser(world);
    planted.cookies.set('carillon', before);

    const visit = await startVisit(planted);
    await planted.post('/sign-in', { ...visit, email: EMAIL, password: PASSWORD });

    expect(planted.cookies.get('carillon')).not.toBe(before);
    expect(await isSignedIn(planted)).toBe(true);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it.each([
    ['an invented one', () => `${'a'.repeat(43)}.${'b'.repeat(43)}`],
    ['an unsigned one', (good: string) => good.split('.')[0] ?? ''],
    ['a secret with a signature of another', (good: string) => `${'a'.repeat(43)}.${good.split('.')[1]}`],
    ['nothing', () => ''],
  ])('is invalid when it is %s', async (_case, forge) => {
    const browser = await signedInBrowser(world);
    browser.cookies.set('carillon', forge(browser.cookies.get('carillon') ?? ''));

    expect(await isSignedIn(browser)).toBe(false);
  });

  /** The fields of a form for signed-out visitors, although the browser is signed in. */
  async function startVisit(browser: ReturnType<typeof openBrowser>): Promise<{ csrf: string }> {
    const kept = browser.cookies.get('carillon') ?? '';
    browser.cookies.delete('carillon');
    const { text } = await browser.get('/sign-in');
    browser.cookies.set('carillon', kept);
    return { csrf: /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '' };
  }
});

describe('a sign-in', () => {
  it('expires two weeks after its last use', async () => {
    const browser = await signedInBrowser(world);

    world.clock.advance(14 * DAY_MS - 1);
    const stillThere = await isSignedIn(browser);
    world.clock.advance(14 * DAY_MS - 1);
    const moved = await isSignedIn(browser);
    world.clock.advance(14 * DAY_MS);

    expect([stillThere, moved, await isSignedIn(browser)]).toEqual([true, true, false]);
  });

  it('expires after ninety days, also when it is in use', async () => {
    const browser = await signedInBrowser(world);

    for (let day = 1; day < 90; day += 1) {
      world.clock.advance(DAY_MS);
      expect(await isSignedIn(browser)).toBe(true);
    }
    world.clock.advance(DAY_MS);

    expect(await isSignedIn(browser)).toBe(false);
  });

  it('is recorded as used once a minute at most', async () => {
    const browser = await signedInBrowser(world);
    const seen = async () => (await world.sql('select last_seen_at from sign_ins order by id desc limit 1'))[0];
    const begun = await seen();

    world.clock.advance(59_999);
    await browser.get('/owner');
    const early = await seen();
    world.clock.advance(1);
    await browser.get('/owner');

    expect(early).toEqual(begun);
    expect(await seen()).not.toEqual(begun);
  });

  it('is removed by housekeeping once it has expired', async () => {
    await signedInBrowser(world);
    world.clock.advance(14 * DAY_MS);

    await world.housekeep();

    expect(await world.sql('select id from sign_ins')).toEqual([]);
    expect(await world.sql('select bucket from sign_in_waits')).toEqual([]);
  });

  it('ends with Sign out, also on the server', async () => {
    const browser = await signedInBrowser(world);
    const cookie = browser.cookies.get('carillon') ?? '';

    const answer = await browser.press(await browser.get('/owner'), 'Sign out');

    expect([answer.status, answer.location, browser.cookies.get('carillon')]).toEqual([303, '/sign-in', '']);
    browser.cookies.set('carillon', cookie);
    expect(await isSignedIn(browser)).toBe(false);
  });
});

describe('every page', () => {
  it('is never cached, cannot be framed, and leads to this install only', async () => {
    const { headers, text } = await openBrowser(world).get('/sign-in');

    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    });
    expect(text.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="/assets/scripts/passkeys.js">']);
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=/i);
    expect(text).toContain('content="noindex"');
  });

  it('escapes typed input', async () => {
    const browser = openBrowser(world);

    const typed = { Email: '"><script>alert(1)</script>', Password: 'x' };
    const page = await browser.press(await browser.get('/sign-in'), 'Sign in', typed);

    expect(page.text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
  });

  it('is a page too when a form cannot be parsed', async () => {
    const browser = openBrowser(world);

    const page = await browser.post('/sign-in', { email: 'x'.repeat(30_000) });

    expect(page.status).toBe(413);
    expect(page.headers.get('content-type')).toContain('text/html');
  });
});
