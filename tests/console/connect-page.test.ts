/** /connect/...: the page on which a customer links an account, driven over HTTP as a browser without scripts does it. */
import { afterAll, describe, expect, it } from 'vitest';
import { destination, makeLink, REDIRECT } from '../harness/connect-links.ts';
import { openBrowser } from '../harness/browser.ts';
import { UUID } from '../harness/expected.ts';
import { eventsAbout } from '../harness/posts.ts';
import { startWorld } from '../harness/world.ts';
import { startFakeBluesky } from '../platforms/fakes/fake-bluesky.ts';

const bluesky = await startFakeBluesky({ now: () => world.clock.now() });
afterAll(() => bluesky.close());
const world = await startWorld({ env: { BLUESKY_SERVICE_URL: bluesky.url } });

const APP_PASSWORD = 'abcd-efgh-ijkl-mnop';
const { did: ALICE } = bluesky.addAccount('alice.example.com', APP_PASSWORD);
const LOGIN = { Handle: 'alice.example.com', 'App password': APP_PASSWORD };

describe('the sandbox', () => {
  it('is connected by picking it and pressing Connect; the customer is sent back with what was made', async () => {
    const link = await makeLink(world);
    const browser = openBrowser(world);

    const picks = await browser.get(link.path);
    const chosen = await browser.press(picks, 'Sandbox');
    const form = await browser.get(chosen.location ?? '');
    const end = await browser.press(form, 'Connect');

    const session = await link.read();
    expect(session).toMatchObject({ status: 'connected', error: null, connectionId: UUID });
    expect(end.status).toBe(303);
    expect(end.location?.startsWith(`${REDIRECT}&`)).toBe(true);
    expect(destination(end.location)).toEqual([
      'https://app.example.com/connected',
      {
        tab: '2',
        connectSessionId: link.sessionId,
        connectionId: session.connectionId,
        profileId: link.profileId,
        slug: 'sandbox',
        platform: 'sandbox',
      },
    ]);
  });

  it('belongs to the profile, and is announced with its session and the mode of the key', async () => {
    const link = await makeLink(world, { platform: 'sandbox' }, { key: world.testKey });
    const browser = openBrowser(world);

    await browser.press(await browser.get(link.path), 'Connect');

    const { connectionId } = await link.read();
    const { body } = await world.rest(`GET /connections/${connectionId}`);
    expect(body.connection).toEqual({
      id: connectionId,
      slug: 'sandbox',
      platformId: 'sandbox',
      description: 'Sandbox: sandbox',
      timezone: 'UTC',
      queueSlots: [],
      profileId: link.profileId,
    });
    expect(await eventsAbout(world, connectionId ?? '')).toMatchObject([
      {
        name: 'connection.created',
        mode: 'test',
        profile_id: link.profileId,
        payload: {
          connection: {
            id: connectionId,
            profileId: link.profileId,
            connectSessionId: link.sessionId,
            platformId: 'sandbox',
            slug: 'sandbox',
          },
        },
      },
    ]);
  });

  it('is all that a session of a test key offers', async () => {
    const link = await makeLink(world, {}, { key: world.testKey });
    const browser = openBrowser(world);

    const page = await browser.get(link.path);
    const forced = await browser.post(`/connect/session/${link.sessionId}/connect`, {
      platform: 'bluesky',
      identifier: LOGIN.Handle,
      appPassword: APP_PASSWORD,
    });

    expect(buttonsOf(page.text)).toEqual(['Sandbox', 'Cancel']);
    expect(forced.location).toBe(`/connect/session/${link.sessionId}`);
    expect(await link.read()).toMatchObject({ status: 'pending' });
  });
});

describe('Bluesky', () => {
  it('asks for handle, app password and service, and connects', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);

    const form = await browser.get(link.path);
    const end = await browser.press(form, 'Connect', LOGIN);

    expect(labelsOf(form.text)).toEqual(['Handle', 'App password', 'Service']);
    const { connectionId } = await link.read();
    expect(destination(end.location)[1]).toMatchObject({
      connectionId,
      slug: 'bluesky-alice-example-com',
      platform: 'bluesky',
    });
    const [row] = await world.sql<{ credentials: string; platform_account_id: string }>(
      'select credentials, platform_account_id from connections where id = $1',
      [connectionId],
    );
    expect(row?.platform_account_id).toBe(ALICE);
    expect(row?.credentials).toMatch(/^v1\./);
  });

  it('says why a login is refused, keeps what may be kept of it, and lets the customer try again', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);

    const form = await browser.get(link.path);
    const refused = await browser.press(form, 'Connect', { ...LOGIN, 'App password': 'wrong-password' });
    const end = await browser.press(refused, 'Connect', { 'App password': APP_PASSWORD });

    expect(refused.status).toBe(422);
    expect(refused.text).toMatch(/role="alert".*does not take this login: Invalid identifier or password/s);
    expect(refused.text).toContain('value="alice.example.com"');
    expect(refused.text).not.toContain('wrong-password');
    expect(destination(end.location)[1]).toMatchObject({ platform: 'bluesky' });
    expect(await link.read()).toMatchObject({ status: 'connected', error: null });
  });

  it('fails with connect_failed when the customer gives up after a refusal', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);

    const form = await browser.get(link.path);
    const refused = await browser.press(form, 'Connect', { ...LOGIN, 'App password': 'wrong-password' });
    const end = await browser.press(refused, 'Cancel');

    const failed = { connectSessionId: link.sessionId, error: 'connect_failed' };
    expect(destination(end.location)).toEqual(['https://app.example.com/connected', { tab: '2', ...failed }]);
    expect(await link.read()).toMatchObject({ status: 'failed', error: 'connect_failed', connectionId: null });
  });

  it('names the field that is malformed, without asking the platform', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);
    const before = bluesky.calls['com.atproto.server.createSession'] ?? 0;

    const form = await browser.get(link.path);
    const malformed = await browser.press(form, 'Connect', { ...LOGIN, Service: 'social.example/path' });
    const missing = await browser.press(form, 'Connect', { Handle: 'alice.example.com' });
    const end = await browser.press(missing, 'Cancel');

    expect(malformed.text).toContain('Service: expected the address of a server without a path');
    expect(missing.text).toContain('App password: please fill this in.');
    expect(bluesky.calls['com.atproto.server.createSession'] ?? 0).toBe(before);
    expect(destination(end.location)[1]).toMatchObject({ error: 'cancelled' });
  });

  it('stops after twenty tries', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);
    const form = await browser.get(link.path);
    for (let tries = 1; tries <= 20; tries += 1) {
      await browser.press(form, 'Connect', { ...LOGIN, 'App password': `guess-${tries}` });
    }

    const end = await browser.press(form, 'Connect', LOGIN);

    expect(destination(end.location)[1]).toMatchObject({ error: 'connect_failed' });
    expect(await link.read()).toMatchObject({ status: 'failed', error: 'connect_failed' });
  });

  it('gives an account that the profile already holds a new login, and changes nothing else', async () => {
    const { id: profileId } = await world.profile('Reconnecting');
    const connected = async () => {
      const link = await makeLink(world, { platform: 'bluesky' }, { profileId });
      const browser = openBrowser(world);
      const end = await browser.press(await browser.get(link.path), 'Connect', LOGIN);
      return destination(end.location)[1];
    };
    const credentials = async (id: string) =>
      (await world.sql<{ credentials: string }>('select credentials from connections where id = $1', [id]))[0];
    const first = await connected();
    const id = first['connectionId'] ?? '';
    await world.rest(`PATCH /connections/${id}/queue`, { body: { slots: [{ weekday: 1, time: '09:00' }] } });
    const { body: before } = await world.rest(`GET /connections/${id}`);
    const old = await credentials(id);

    const again = await connected();

    expect(again).toMatchObject({ connectionId: id, slug: first['slug'], profileId });
    expect((await world.rest(`GET /connections/${id}`)).body).toEqual(before);
    expect(await credentials(id)).not.toEqual(old);
    expect((await eventsAbout(world, id)).map(({ name }) => name)).toEqual(['connection.created']);
  });
});

describe('Cancel', () => {
  it.each([
    ['on the choice of platforms', {}],
    ['on the form of a platform', { platform: 'bluesky' }],
  ])('%s ends the session as cancelled', async (_case, fields) => {
    const link = await makeLink(world, fields);
    const browser = openBrowser(world);

    const end = await browser.press(await browser.get(link.path), 'Cancel');

    const cancelled = { connectSessionId: link.sessionId, error: 'cancelled' };
    expect(end.status).toBe(303);
    expect(destination(end.location)).toEqual(['https://app.example.com/connected', { tab: '2', ...cancelled }]);
    expect(await link.read()).toMatchObject({ status: 'failed', error: 'cancelled', connectionId: null });
  });

  it('pressed after the account was connected leads to what was made', async () => {
    const link = await makeLink(world, { platform: 'sandbox' });
    const browser = openBrowser(world);
    const form = await browser.get(link.path);
    const made = await browser.press(form, 'Connect');

    const end = await browser.press(form, 'Cancel');
    const again = await browser.press(form, 'Connect');

    expect([end.location, again.location]).toEqual([made.location, made.location]);
    const rows = await world.sql('select id from connections where profile_id = $1', [link.profileId]);
    expect(rows).toHaveLength(1);
  });
});

describe('every page', () => {
  it('is kept by nobody, runs nothing, and lets forms lead to itself and to the end only', async () => {
    const link = await makeLink(world);
    const browser = openBrowser(world);

    const { status, headers, text } = await browser.get(link.path);

    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' https://app.example.com; base-uri 'none'; frame-ancestors 'none'",
    });
    expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/i);
    expect(text).toContain('name="viewport"');
    expect(text).toContain('content="noindex"');
  });

  it('tells nothing about the caller', async () => {
    const { id: profileId } = await world.profile('Very Secret Customer Name');
    const link = await makeLink(world, {}, { profileId });
    const browser = openBrowser(world);

    const { text } = await browser.get(link.path);

    expect(text).not.toMatch(/Very Secret|crl_|app\.example\.com/);
    expect(text).not.toContain(profileId);
  });

  it('has header and footer, unless it is headless', async () => {
    const browser = openBrowser(world);
    const ordinary = await browser.get((await makeLink(world)).path);
    const headless = await browser.get((await makeLink(world, { headless: true })).path);

    expect(ordinary.text).toMatch(/<header class="site">.*<footer class="site">/s);
    expect(headless.text).not.toMatch(/<header|<footer/);
    expect(headless.text).toContain('<main id="content"');
  });

  it('offers every platform that can be connected here by its name, and Cancel', async () => {
    const link = await makeLink(world);

    const { text } = await openBrowser(world).get(link.path);

    expect(buttonsOf(text)).toEqual(['Bluesky', 'Mastodon', 'Sandbox', 'Cancel']);
  });

  it('shows what was typed as text, whatever it is', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);
    const hostile = `"><img src=x onerror=alert(1)>`;

    const page = await browser.press(await browser.get(link.path), 'Connect', { Handle: hostile });

    expect(page.text).toContain('value="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;"');
  });

  it('is a page too when a form cannot be read', async () => {
    const link = await makeLink(world);
    const browser = openBrowser(world);
    await browser.get(link.path);

    const page = await browser.post(`/connect/session/${link.sessionId}/connect`, { platform: 'x'.repeat(30_000) });

    expect(page.status).toBe(413);
    expect(page.headers.get('content-type')).toContain('text/html');
  });
});

/** The buttons of a page, in order. */
function buttonsOf(text: string): string[] {
  return [...text.matchAll(/<button[^>]*>\s*([^<]*?)\s*<\/button>/g)].map(([, name]) => name as string);
}

/** The labels of its fields, in order. */
function labelsOf(text: string): string[] {
  return [...text.matchAll(/<label for="[^"]+">([^<]*)<\/label>/g)].map(([, name]) => name as string);
}
