/** Accounts that are linked over their platform's own page: state, PKCE, a single code exchange, and refusals. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, type BrowserPage, openBrowser } from '../harness/browser.ts';
import { decide, destination, makeLink } from '../harness/connect-links.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';
import { startFakeMastodon } from '../platforms/fakes/fake-mastodon.ts';

const now = () => world.clock.now();
const mastodon = await startFakeMastodon({ now });
afterAll(() => mastodon.close());
const world = await startWorld();
mastodon.addAccount('alice', 'a-token-of-hers');

beforeEach(() => {
  mastodon.consent.signedIn = 'alice';
});

/** Opens a link for Mastodon and types the server; returns the redirect to it. */
async function leave(browser: Browser, path: string): Promise<BrowserPage> {
  return browser.press(await browser.get(path), 'Connect', { Server: mastodon.url });
}

describe('Mastodon', () => {
  it('redirects to the server’s own page, with an app, a state and PKCE', async () => {
    const link = await makeLink(world, { platform: 'mastodon' });
    const browser = openBrowser(world);

    const form = await browser.get(link.path);
    const away = await browser.press(form, 'Connect', { Server: mastodon.url });

    expect(form.text).toContain('<label for="instanceUrl">Server</label>');
    expect(form.headers.get('content-security-policy')).toContain("form-action 'self' https: http:;");
    expect(away.status).toBe(303);
    expect(destination(away.location)).toEqual([
      `${mastodon.url}/oauth/authorize`,
      {
        response_type: 'code',
        client_id: 'app-1',
        redirect_uri: `${PUBLIC_URL}/connect/callback/mastodon`,
        scope: 'read:accounts read:statuses write:statuses write:media',
        state: expect.stringMatching(new RegExp(`^${link.sessionId}\\.[\\w-]{43}$`)),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      },
    ]);
  });

  it('connects the approved account, with a token that posts', async () => {
    const link = await makeLink(world, { platform: 'mastodon' });
    const browser = openBrowser(world);

    const end = await browser.get(await decide(await leave(browser, link.path)));

    const { host } = new URL(mastodon.url);
    const slug = `mastodon-alice-${host.replace(/[.:]/g, '-')}`;
    expect(destination(end.location)[1]).toMatchObject({ slug, platform: 'mastodon', profileId: link.profileId });
    expect(await link.read()).toMatchObject({ status: 'connected' });
    const { body } = await world.rest('POST /posts', {
      body: { text: 'From the page', connectionSlugs: [slug], profileId: link.profileId },
    });
    expect(body.results).toMatchObject([{ status: 'sent' }]);
    expect(mastodon.posts().map(({ text }) => text)).toEqual(['From the page']);
  });

  it('registers its app once per server and stores its secret encrypted', async () => {
    const [one, other] = [
      await makeLink(world, { platform: 'mastodon' }),
      await makeLink(world, { platform: 'mastodon' }),
    ];

    await leave(openBrowser(world), one.path);
    await leave(openBrowser(world), other.path);

    expect(mastodon.calls['POST /api/v1/apps']).toBe(1);
    const rows = await world.sql<{ app: string }>('select origin, redirect_uri, app from platform_apps');
    expect(rows).toEqual([
      {
        origin: mastodon.url,
        redirect_uri: `${PUBLIC_URL}/connect/callback/mastodon`,
        app: expect.stringMatching(/^v1\./),
      },
    ]);
  });

  it('registers again after the server has dropped the app', async () => {
    const link = await makeLink(world, { platform: 'mastodon' });
    const browser = openBrowser(world);
    const back = await decide(await leave(browser, link.path));
    mastodon.consent.apps.clear();

    const refused = await browser.get((await browser.get(back)).location ?? '');
    const end = await browser.get(await decide(await browser.press(refused, 'Connect', { Server: mastodon.url })));

    expect(refused.text).toContain('Client authentication failed due to unknown client.');
    expect(destination(end.location)[1]).toMatchObject({ platform: 'mastodon' });
  });

  it('stores state and verifier encrypted during the redirect, and deletes them afterwards', async () => {
    const link = await makeLink(world, { platform: 'mastodon' });
    const browser = openBrowser(world);
    const flow = async () =>
      (
        await world.sql<{ flow: string | null }>('select flow from connect_sessions where id = $1', [link.sessionId])
      )[0];

    const away = await leave(browser, link.path);
    const during = await flow();
    await browser.get(await decide(away));

    expect(during?.flow).toMatch(/^v1\./);
    expect(await flow()).toEqual({ flow: null });
  });

  it('ends as cancelled when the customer declines there', async () => {
    mastodon.consent.signedIn = null;
    const link = await makeLink(world, { platform: 'mastodon' });
    const browser = openBrowser(world);

    const end = await browser.get(await decide(await leave(browser, link.path)));

    expect(destination(end.location)[1]).toMatchObject({ connectSessionId: link.sessionId, error: 'cancelled' });
    expect(await link.read()).toMatchObject({ status: 'failed', error: 'cancelled' });
  });

  it('says why a code is refused, and ends as connect_failed', async () => {
    const link = await makeLink(world, { platform: 'mastodon' });
    const browser = openBrowser(world);
    const back = new URL(await decide(await leave(browser, link.path)));
    back.searchParams.set('code', 'another-code');

    const answered = await browser.get(back.href);
    const refused = await browser.get(answered.location ?? '');
    const end = await browser.press(refused, 'Cancel');

    expect(answered.location).toBe(`/connect/session/${link.sessionId}`);
    expect(refused.text).toContain('refused: The provided authorization grant is invalid.');
    expect(destination(end.location)[1]).toMatchObject({ error: 'connect_failed' });
  });

  it.each([
    ['a host that answers as something else', () => world.url, 'does not answer as a Mastodon server.'],
    ['a host that is not there', () => 'http://127.0.0.1:1', 'could not be reached'],
    ['a host of this network', () => 'https://10.0.0.8', 'could not be reached'],
    ['what is no address', () => 'not a server', 'Server: expected an address such as mastodon.social.'],
  ])('refuses %s and lets the customer retry', async (_case, server, message) => {
    const link = await makeLink(world, { platform: 'mastodon' });
    const browser = openBrowser(world);

    const page = await browser.press(await browser.get(link.path), 'Connect', { Server: server() });

    expect(page.status).toBe(422);
    expect(page.text).toContain(message);
    expect(await link.read()).toMatchObject({ status: 'pending' });
  });
});

describe('an answer', () => {
  it('with a forged state changes nothing', async () => {
    const link = await makeLink(world, { platform: 'mastodon' });
    const browser = openBrowser(world);
    const back = await decide(await leave(browser, link.path));
    const forged = new URL(back);
    forged.searchParams.set('state', `${link.sessionId}.${'A'.repeat(43)}`);
    const before = mastodon.calls['POST /oauth/token'] ?? 0;

    const refused = await browser.get(forged.href);

    expect(refused.status).toBe(400);
    expect(mastodon.calls['POST /oauth/token'] ?? 0).toBe(before);
    expect(destination((await browser.get(back)).location)[1]).toMatchObject({ platform: 'mastodon' });
  });

  it('in another browser changes nothing', async () => {
    const link = await makeLink(world, { platform: 'mastodon' });
    const [browser, other] = [openBrowser(world), openBrowser(world)];
    const back = await decide(await leave(browser, link.path));

    const refused = await other.get(back);

    expect(refused.status).toBe(404);
    expect(destination((await browser.get(back)).location)[1]).toMatchObject({ platform: 'mastodon' });
  });

  it('at the address of another platform changes nothing', async () => {
    const link = await makeLink(world, { platform: 'mastodon' });
    const browser = openBrowser(world);
    const back = await decide(await leave(browser, link.path));

    const refused = await browser.get(back.replace('/callback/mastodon', '/callback/x'));

    expect(refused.status).toBe(400);
    expect(await link.read()).toMatchObject({ status: 'pending' });
  });

  it('is exchanged once, however often it arrives', async () => {
    const link = await makeLink(world, { platform: 'mastodon' });
    const browser = openBrowser(world);
    const back = await decide(await leave(browser, link.path));
    const before = mastodon.calls['POST /oauth/token'] ?? 0;

    await Promise.all([browser.get(back), browser.get(back)]);
    const again = await browser.get(back);

    expect(mastodon.calls['POST /oauth/token']).toBe(before + 1);
    expect(destination(again.location)[1]).toMatchObject({ platform: 'mastodon' });
    expect(await link.read()).toMatchObject({ status: 'connected' });
  });

  it('to HEAD has no effect', async () => {
    const link = await makeLink(world, { platform: 'mastodon' });
    const browser = openBrowser(world);
    const back = await decide(await leave(browser, link.path));

    const head = await browser.head(back);

    expect(head.status).toBe(200);
    expect(await link.read()).toMatchObject({ status: 'pending' });
  });

  it('that comes after fifteen minutes is too late', async () => {
    const link = await makeLink(world, { platform: 'mastodon' });
    const browser = openBrowser(world);
    const back = await decide(await leave(browser, link.path));
    world.clock.advance(900_000);

    const late = await browser.get(back);

    expect(late.status).toBe(410);
    expect(await link.read()).toMatchObject({ status: 'expired', connectionId: null });
  });
});
