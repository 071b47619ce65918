/** The consent page: what it shows, whose answer it accepts, and how it is protected. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { EMAIL, OWNER_ENV, PASSWORD } from '../harness/owner.ts';
import { startWorld, type World } from '../harness/world.ts';
import {
  answered,
  authorizeUrl,
  CALLBACK,
  claimsOf,
  codeFor,
  openConsent,
  type Person,
  redeem,
  registered,
  signIn,
} from './agents.ts';

let world: World;
let person: Person;
let clientId: string;
beforeAll(async () => {
  world = await startWorld({ env: OWNER_ENV });
  person = await signIn(world);
  clientId = await registered(world);
});

const grants = () => world.sql('select id from oauth_grants');

describe('the page', () => {
  it('shows the client, the redirect address, the scopes, and the possible limits', async () => {
    await world.profile('Bells <of> Rhyme');
    const { text, status } = await openConsent(person.browser, { clientId });

    expect(status).toBe(200);
    expect(text).toContain('Allow <span dir="auto">Agent</span>?');
    expect(text).toContain('<strong dir="ltr">agent.example</strong>');
    expect(text).toContain('<li>Read all posts with their texts, images and results, drafts included</li>');
    expect(text).toContain('<li>See which accounts are connected, with their queues and settings</li>');
    expect(text).not.toContain('Publish to');
    expect(text).toContain('>Whole account</option>');
    expect(text).toContain('>Test mode only</option>');
    expect(text).toContain('>Only the profile Bells &lt;of&gt; Rhyme</option>');
    expect(text).not.toContain('on this computer');
    expect(text).not.toContain('<script');
  });

  it('preselects test mode, and lists the whole account last', async () => {
    await world.profile('Another');
    const { text } = await openConsent(person.browser, { clientId });

    const choices = text.match(/<option value="[^"]*"(?: selected)?>/g) ?? [];
    expect(choices.at(0)).toBe('<option value="test" selected>');
    expect(choices.at(-1)).toBe('<option value="account">');
    expect(choices.filter((choice) => choice.includes('selected'))).toHaveLength(1);
  });

  it('escapes the name that a client chose', async () => {
    const id = await registered(world, { client_name: '<script>alert(1)</script>' });
    const { text } = await openConsent(person.browser, { clientId: id });

    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toContain('<script');
  });

  it.each([
    ['turns the direction of writing', 'Cl\u202Eedu\u2066a\u2069', 'Cledua'],
    ['breaks lines and hides', '\u200B Cl\n\n\u2028aude\u0007 ', 'Cl aude'],
    ['stacks marks up', `Claude${'\u0301'.repeat(40)}`, 'Claudé\u0301\u0301'],
    ['fills the page', 'Bells '.repeat(100), `${'Bells '.repeat(10).slice(0, 59)}…`],
    ['is made of invisible characters', '\u200B\u2060', undefined],
  ])('shows no name that %s, neither here nor later', async (_name, said, shown) => {
    const id = await registered(world, { client_name: said });
    const { text } = await openConsent(person.browser, { clientId: id });
    await codeFor(person, { clientId: id });

    expect(text).toContain(`Allow <span dir="auto">${shown ?? id}</span>?`);
    expect((await person.browser.get('/owner/agents')).text).toContain(`dir="auto">${shown ?? id}</h2>`);
  });

  it.each([
    ['https://google.com@evil.example/cb', 'evil.example'],
    ['https://gооgle.com/cb', 'xn--ggle-55da.com'],
    ['https://EVIL.example:8443/google.com', 'evil.example:8443'],
    ['http://127.1:5/cb', '127.0.0.1:5'],
  ])('shows the real target of an answer to %s', async (redirect, host) => {
    const id = await registered(world, { redirect_uris: [redirect] });
    const { text } = await openConsent(person.browser, { clientId: id, params: { redirect_uri: redirect } });

    expect(text).toContain(`<strong dir="ltr">${host}</strong>`);
  });

  it.each([
    ['a program on this computer', 'http://127.0.0.1:33418/', '127.0.0.1:33418', 'That is a program on this computer.'],
    ['an app', 'cursor://retrieval/cb', 'cursor:', 'That is an app on this device.'],
  ])('warns when the answer goes to %s', async (_name, redirect, shown, warning) => {
    const id = await registered(world, { redirect_uris: [redirect] });
    const { text, headers } = await openConsent(person.browser, { clientId: id, params: { redirect_uri: redirect } });

    expect(text).toContain(`<strong dir="ltr">${shown}</strong>`);
    expect(text).toContain(warning);
    expect(headers.get('content-security-policy')).toContain(
      `form-action 'self' ${new URL(redirect).protocol} https:;`,
    );
  });

  it('says that an agent is stopped, and stays stopped', async () => {
    const id = await registered(world);
    const warning = 'This agent is stopped, and stays stopped when you allow it';
    await codeFor(person, { clientId: id });
    const { text: before } = await openConsent(person.browser, { clientId: id });
    const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [id]);
    expect((await world.rest('POST /stops', { body: { grantId: grant?.id } })).status).toBe(201);

    const { text } = await openConsent(person.browser, { clientId: id });

    expect([before.includes(warning), text.includes(warning)]).toEqual([false, true]);
  });

  it('says that a policy limits an agent, and goes on to', async () => {
    const id = await registered(world);
    const wish = { clientId: id, params: { scope: 'posts:read posts:write' } };
    const warning = 'A policy limits what this agent posts.';
    await codeFor(person, wish);
    const { text: before } = await openConsent(person.browser, wish);
    const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [id]);
    expect((await world.rest(`PUT /policies/${grant?.id}`, { body: { postsPerDay: 3 } })).status).toBe(200);

    const { text } = await openConsent(person.browser, wish);
    const { text: ofReader } = await openConsent(person.browser, { clientId: id });

    expect([before, text, ofReader].map((page) => page.includes(warning))).toEqual([false, true, false]);
  });

  it('is never cached and cannot be framed, and its form leads to the client', async () => {
    const { headers } = await openConsent(person.browser, { clientId });

    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' https:; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('limits its cookies to https and its own path, and hides them from scripts', async () => {
    await using secure = await startWorld({ env: { PUBLIC_URL: 'https://bells.example' } });
    const browser = openBrowser(secure);
    const params = { resource: 'https://bells.example/mcp' };
    const { location } = await browser.get(authorizeUrl({ clientId: await registered(secure), params }));

    const asked = browser.setCookies.filter((cookie) => cookie.startsWith('__Secure-oauth-asked'));
    expect([browser.setCookies.length, asked.length]).toEqual([4, 2]);
    for (const cookie of asked) expect(cookie).toContain(`path=${location}; `);
    for (const cookie of browser.setCookies) expect(cookie).toMatch(/^__Secure-.*; samesite=lax; secure; httponly$/);
  });

  it('asks a signed-out visitor to sign in, and continues from there', async () => {
    const browser = openBrowser(world);
    const asked = await browser.get(authorizeUrl({ clientId }));
    const stranger = await browser.get(asked.location ?? '');
    expect(stranger.location).toBe(`/sign-in?next=${encodeURIComponent(asked.location ?? '')}`);

    const signInPage = await browser.get(stranger.location ?? '');
    const signedIn = await browser.press(signInPage, 'Sign in', { Email: EMAIL, Password: PASSWORD });
    const back = await answered(browser, await browser.get(signedIn.location ?? ''));

    expect((await redeem(world, clientId, back.searchParams.get('code') ?? '')).status).toBe(200);
  });

  it('is shown for each client, each time, also to a signed-in owner who has agreed before', async () => {
    await codeFor(person, { clientId });
    const again = await person.browser.get(authorizeUrl({ clientId }));
    const other = await person.browser.get(authorizeUrl({ clientId: await registered(world) }));

    expect(again.location).toMatch(/^\/oauth\/interaction\//);
    expect(other.location).toMatch(/^\/oauth\/interaction\//);
  });

  it('grants access for the signed-in owner, regardless of earlier owners in this browser', async () => {
    await codeFor(person, { clientId });
    const next = await signIn(world);
    person.browser.cookies.set('carillon', next.browser.cookies.get('carillon') ?? '');
    const { body } = await redeem(world, clientId, await codeFor(person, { clientId }));

    expect(claimsOf(body.access_token)['sub']).toBe(next.ownerId);
  });
});

describe('an answer', () => {
  it('without the form token, or with that of another sign-in, is refused', async () => {
    const before = (await grants()).length;
    const asked = await person.browser.get(authorizeUrl({ clientId }));
    const path = asked.location ?? '';
    const allow = { answer: 'allow', reach: 'account' };
    const stranger = await signIn(world);
    const foreign = await openConsent(stranger.browser, { clientId });
    const csrf = /name="csrf" value="([^"]+)"/.exec(foreign.text)?.[1] ?? '';

    for (const fields of [allow, { ...allow, csrf: 'x' }, { ...allow, csrf }]) {
      const { status, text } = await person.browser.post(path, fields);
      expect([status, text.includes('<h1>Not taken</h1>')]).toEqual([403, true]);
    }
    expect((await grants()).length).toBe(before);
  });

  it('from another browser than that of the request is refused', async () => {
    const asked = await person.browser.get(authorizeUrl({ clientId }));
    const other = await signIn(world);
    const viewed = await other.browser.get(asked.location ?? '');
    const posted = await other.browser.post(asked.location ?? '', { answer: 'allow', reach: 'account' });

    expect([viewed.status, posted.status]).toEqual([400, 400]);
    expect(viewed.text).toContain('<h1>Nothing to answer</h1>');
  });

  it('to a request with an invented cookie is refused', async () => {
    const other = await signIn(world);
    other.browser.cookies.set('oauth-asked', 'x'.repeat(43));
    other.browser.cookies.set('oauth-asked.sig', 'x'.repeat(43));

    expect((await other.browser.get(`/oauth/interaction/${'x'.repeat(43)}`)).status).toBe(400);
  });

  it.each(['', 'everything', '00000000-0000-7000-8000-000000000000'])(
    'outside the offered choices is refused: "%s"',
    async (reach) => {
      const consent = await openConsent(person.browser, { clientId });

      const pressed = await person.browser.press(consent, 'Allow', { 'What it reaches': reach });
      expect(pressed.status).toBe(400);
    },
  );

  it('cannot be limited to a profile of another account', async () => {
    const foreign = world.context.random.uuid();
    await world.sql('insert into accounts (id, created_at) values ($1, $2)', [foreign, world.clock.now()]);
    const { id } = await world.profile('Foreign', foreign);
    const consent = await openConsent(person.browser, { clientId });

    expect((await person.browser.press(consent, 'Allow', { 'What it reaches': id })).status).toBe(400);
  });

  it('that is given twice creates one grant', async () => {
    const before = (await grants()).length;
    const consent = await openConsent(person.browser, { clientId });
    const reach = { 'What it reaches': 'account' };
    await person.browser.press(consent, 'Allow', reach);
    const again = await person.browser.press(consent, 'Allow', reach);

    expect(again.status).toBe(303);
    expect((await grants()).length).toBe(before + 1);
    expect((await person.browser.get(again.location ?? '')).location).toMatch(`${CALLBACK}?code=`);
  });

  it('that is given five times at once creates one grant, and each click redirects', async () => {
    const before = (await grants()).length;
    const consent = await openConsent(person.browser, { clientId });
    const press = () => person.browser.press(consent, 'Allow', { 'What it reaches': 'account' });
    const pressed = await Promise.all(Array.from({ length: 5 }, press));

    expect(new Set(pressed.map(({ status, location }) => `${status} ${location}`)).size).toBe(1);
    expect((await grants()).length).toBe(before + 1);
    const code = new URL((await person.browser.get(pressed[0]?.location ?? '')).location ?? '').searchParams.get(
      'code',
    );
    expect((await redeem(world, clientId, code ?? '')).status).toBe(200);
  });

  it('keeps its first value', async () => {
    const consent = await openConsent(person.browser, { clientId });
    const yes = await person.browser.press(consent, 'Allow', { 'What it reaches': 'account' });
    const no = await person.browser.press(consent, 'Deny', { 'What it reaches': 'account' });

    expect([no.status, no.location]).toEqual([303, yes.location]);
    expect((await person.browser.get(no.location ?? '')).location).toMatch(`${CALLBACK}?code=`);
  });

  it.each([
    ['Allow and Deny', ['Allow', 'Deny']],
    ['Deny and Allow', ['Deny', 'Allow']],
  ])('of %s at once is one of the two, for both', async (_name, buttons) => {
    const before = (await grants()).length;
    const consent = await openConsent(person.browser, { clientId });
    const press = (button: string) => person.browser.press(consent, button, { 'What it reaches': 'account' });
    const [first, second] = await Promise.all(buttons.map(press));

    const location = first?.location ?? '';
    expect(second?.location).toBe(location);
    expect((await grants()).length - before).toBe(location.includes('error=access_denied') ? 0 : 1);
  });

  it('arrives too late after an hour', async () => {
    const asked = await person.browser.get(authorizeUrl({ clientId }));
    world.clock.advance(3_620_000);

    expect((await person.browser.get(asked.location ?? '')).status).toBe(400);
  });
});
