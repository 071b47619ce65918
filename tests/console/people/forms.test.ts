/** Forms of the owner's pages: accepted only from our pages in the same browser. */
import { describe, expect, it } from 'vitest';
import { type Browser, openBrowser } from '../../harness/browser.ts';
import { EMAIL, OWNER_ENV, PASSWORD, ownerLink, signedInBrowser } from '../../harness/owner.ts';
import { PUBLIC_URL, startWorld } from '../../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });
const [{ id: accountId }] = (await world.sql<{ id: string }>('select id from accounts')) as [{ id: string }];

const tokenOf = (text: string) => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';

interface Form {
  readonly browser: Browser;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly token: string;
}

/** Each form that changes something, filled in correctly, in a separate browser. */
const FORMS: [name: string, make: () => Promise<Form>][] = [
  [
    'signing in',
    async () => {
      const browser = openBrowser(world);
      const token = tokenOf((await browser.get('/sign-in')).text);
      return { browser, path: '/sign-in', fields: { email: EMAIL, password: PASSWORD }, token };
    },
  ],
  [
    'setting up',
    async () => {
      const browser = openBrowser(world);
      const path = await ownerLink(world, accountId);
      const token = tokenOf((await browser.get(path)).text);
      return { browser, path, fields: { email: EMAIL, password: PASSWORD }, token };
    },
  ],
  ['changing the password', () => ownersForm('/owner/password', { password: PASSWORD, newPassword: PASSWORD })],
  ['signing another browser out', () => ownersForm('/owner/sign-ins/end', { signInId: crypto.randomUUID() })],
  ['signing out', () => ownersForm('/sign-out', {})],
];

async function ownersForm(path: string, fields: Readonly<Record<string, string>>): Promise<Form> {
  const browser = await signedInBrowser(world);
  return { browser, path, fields, token: tokenOf((await browser.get('/owner')).text) };
}

describe.each(FORMS)('%s', (_name, make) => {
  it('is accepted from our page', async () => {
    const { browser, path, fields, token } = await make();

    const headers = { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' };
    expect((await browser.post(path, { ...fields, csrf: token }, headers)).status).toBe(303);
  });

  it('is accepted without an Origin header, as pages with no referrer send it', async () => {
    const { browser, path, fields, token } = await make();

    expect((await browser.post(path, { ...fields, csrf: token }, { origin: 'null' })).status).toBe(303);
  });

  it.each<[string, (token: string, foreign: string) => Record<string, string>, Record<string, string>]>([
    ['without its token', () => ({}), {}],
    ['with an empty token', () => ({ csrf: '' }), {}],
    ['with an invented token', (token) => ({ csrf: token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')) }), {}],
    ["with another browser's token", (_token, foreign) => ({ csrf: foreign }), {}],
    ['from another site', (csrf) => ({ csrf }), { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['from a neighbouring host', (csrf) => ({ csrf }), { 'sec-fetch-site': 'same-site' }],
    ['from another origin', (csrf) => ({ csrf }), { origin: 'https://evil.example' }],
    ['from a frame without an origin', (csrf) => ({ csrf }), { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ])('changes nothing %s, and says what to do', async (_case, forge, headers) => {
    const foreign = (await make()).token;
    const { browser, path, fields, token } = await make();
    const cookies = new Map(browser.cookies);

    const answer = await browser.post(path, { ...fields, ...forge(token, foreign) }, headers);

    expect(answer.status).toBe(403);
    expect(answer.text).toContain('Nothing was changed. Open the page again');
    expect(answer.text).toMatch(/<a class="way" href="\/[a-z]/);
    expect(browser.cookies).toEqual(cookies);
    if (cookies.has('carillon')) expect((await browser.get('/owner')).status).toBe(200);
  });
});

describe('the form of a signed-out person', () => {
  const HOURS_2 = 7_200_000;

  it.each([0, 1, 60_000, HOURS_2 - 60_000, HOURS_2 - 1, HOURS_2])(
    'is valid for two hours from when it is shown, also %i ms after the first one',
    async (msLater) => {
      const browser = openBrowser(world);
      world.clock.advance(999);
      await browser.get('/sign-in');
      world.clock.advance(msLater);

      const form = await browser.get('/sign-in');
      world.clock.advance(HOURS_2 - 1);
      const late = await browser.press(form, 'Sign in', { Email: EMAIL, Password: PASSWORD });

      expect([late.status, late.location]).toEqual([303, '/owner']);
    },
  );

  it('is not valid after two hours', async () => {
    const browser = openBrowser(world);
    const form = await browser.get('/sign-in');

    world.clock.advance(HOURS_2 + 1_000);
    const tooLate = await browser.press(form, 'Sign in', { Email: EMAIL, Password: PASSWORD });

    expect(tooLate.status).toBe(403);
  });

  it('keeps its cookie for two hours from when it is shown', async () => {
    const browser = openBrowser(world);
    await browser.get('/sign-in');
    world.clock.advance(HOURS_2 / 2);

    await browser.get('/sign-in');

    const kept = expect.stringMatching(/^carillon-visit=\S+; Max-Age=7200; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(browser.setCookies).toEqual([kept, kept]);
  });

  it('works in two tabs', async () => {
    const browser = openBrowser(world);
    const first = await browser.get('/sign-in');
    world.clock.advance(HOURS_2 - 1_000);
    await browser.get('/sign-in');

    expect((await browser.press(first, 'Sign in', { Email: EMAIL, Password: PASSWORD })).status).toBe(303);
  });

  it('is not valid as that of a signed-in person, nor the reverse', async () => {
    const browser = openBrowser(world);
    const visit = tokenOf((await browser.get('/sign-in')).text);
    await browser.post('/sign-in', { csrf: visit, email: EMAIL, password: PASSWORD });
    const owners = tokenOf((await browser.get('/owner')).text);

    const changed = await browser.post('/sign-out', { csrf: visit });
    const signedIn = await browser.post('/sign-in', { csrf: owners, email: EMAIL, password: PASSWORD });

    expect([changed.status, signedIn.status]).toEqual([403, 403]);
  });
});
