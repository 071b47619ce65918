/** /connect/...: the page on which a customer links an account, driven over HTTP like a browser without scripts. */
import { describe, expect, it } from 'vitest';
import { destination, makeLink, REDIRECT } from '../harness/connect-links.ts';
import { openBrowser } from '../harness/browser.ts';
import { UUID } from '../harness/expected.ts';
import { eventsAbout } from '../harness/posts.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();

describe('the sandbox', () => {
  it('is connected by picking it and pressing Connect; the customer is redirected with the connection', async () => {
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

  it('belongs to the profile, and its event has the session and the mode of the key', async () => {
    const link = await makeLink(world, { platform: 'sandbox' }, { key: world.testKey });
    const browser = openBrowser(world);

    await browser.press(await browser.get(link.path), 'Connect');

    const { connectionId } = await link.read();
    const { body } = await world.rest(`GET /connections/${connectionId}`);
    expect(body.connection).toEqual({
      id: connectionId,
      slug: 'sandbox',
      platformId: 'sandbox',
      handle: 'sandbox',
      description: 'Sandbox: sandbox',
      createdAt: world.clock.now().toISOString(),
      credentialRenewsAt: null,
      credentialEndsAt: null,
      timezone: 'UTC',
      queueSlots: [],
      profileId: link.profileId,
      rewriteMode: 'inherit',
      queuePaused: false,
      nextSlotAt: null,
      reconnectRequired: null,
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

  it('is the only platform in a session of a test key', async () => {
    const link = await makeLink(world, {}, { key: world.testKey });
    const browser = openBrowser(world);

    const page = await browser.get(link.path);
    const forced = await browser.post(`/connect/session/${link.sessionId}/connect`, {
      platform: 'bluesky',
      identifier: 'alice.example.com',
      appPassword: 'abcd-efgh-ijkl-mnop',
    });

    expect(buttonsOf(page.text)).toEqual(['Sandbox', 'Cancel']);
    expect(forced.location).toBe(`/connect/session/${link.sessionId}`);
    expect(await link.read()).toMatchObject({ status: 'pending' });
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

  it('pressed after the account was connected leads to the connection', async () => {
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
  it('is never cached, runs no script, and lets forms lead to itself and to the redirect address only', async () => {
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
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' https:; base-uri 'none'; frame-ancestors 'none'",
    });
    expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/i);
    expect(text).toContain('name="viewport"');
    expect(text).toContain('content="noindex"');
  });

  it('reveals nothing about the caller', async () => {
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
    // There is no header before the content to skip.
    expect(ordinary.text + headless.text).not.toContain('Skip to content');
    expect(headless.text).not.toMatch(/<header|<footer/);
    expect(headless.text).toContain('<main id="content"');
  });

  it('offers each available platform by its name, and Cancel', async () => {
    const link = await makeLink(world);

    const { text } = await openBrowser(world).get(link.path);

    expect(buttonsOf(text)).toEqual(['Bluesky', 'Mastodon', 'Telegram', 'Discord', 'Sandbox', 'Cancel']);
  });

  it('escapes typed input', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);
    const hostile = `"><img src=x onerror=alert(1)>`;

    const page = await browser.press(await browser.get(link.path), 'Connect', { Handle: hostile });

    expect(page.text).toContain('value="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;"');
  });

  it('is a page too when a form cannot be parsed', async () => {
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
