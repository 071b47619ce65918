/** A connect link and the browser that opens it: one browser, for fifteen minutes. */
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { destination, makeLink } from '../harness/connect-links.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();

describe('a link', () => {
  it('works once: another browser is told that it was already used', async () => {
    const link = await makeLink(world);
    const [first, second] = [openBrowser(world), openBrowser(world)];
    await first.get(link.path);

    const answers = [await second.get(link.path), await second.get(`/connect/session/${link.sessionId}`)];

    expect(answers.map(({ status }) => status)).toEqual([410, 404]);
    expect(answers[0]?.text).toContain('This link works once');
    expect(second.setCookies).toEqual([]);
    expect(answers.map(({ text }) => text).join('')).not.toContain('<button');
  });

  it('is opened by one of two browsers that open it at once', async () => {
    const link = await makeLink(world);
    const browsers = [openBrowser(world), openBrowser(world), openBrowser(world)];

    const pages = await Promise.all(browsers.map((browser) => browser.get(link.path)));

    expect(pages.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 410, 410]);
  });

  it('can be opened again by the browser that opened it', async () => {
    const link = await makeLink(world);
    const browser = openBrowser(world);
    const first = await browser.get(link.path);

    const again = await browser.get(link.path);

    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(browser.setCookies).toHaveLength(1);
  });

  it('shows the way back once it is done', async () => {
    const link = await makeLink(world);
    const browser = openBrowser(world);
    const end = await browser.press(await browser.get(link.path), 'Cancel');

    const again = await browser.get(link.path);

    expect(again.status).toBe(410);
    expect(again.text).toContain(`href="${(end.location ?? '').replaceAll('&', '&amp;')}"`);
  });

  it('redirects to an international address, shown as it was given and encoded for the browser', async () => {
    const redirectUrl = 'https://bücher.example/zurück?an=Zoë%20A';
    const link = await makeLink(world, { redirectUrl });
    const browser = openBrowser(world);

    const end = await browser.press(await browser.get(link.path), 'Cancel');

    expect(await link.read()).toMatchObject({ status: 'failed', redirectUrl });
    expect(end.location).toBe(
      `https://xn--bcher-kva.example/zur%C3%BCck?an=Zo%C3%AB%20A&connectSessionId=${link.sessionId}&error=cancelled`,
    );
  });

  it('is not used up by HEAD, nor by a browser prefetch', async () => {
    const link = await makeLink(world);
    const [crawler, customer] = [openBrowser(world), openBrowser(world)];

    const head = await crawler.head(link.path);
    const ahead = await crawler.get(link.path, { 'sec-purpose': 'prefetch;prerender' });

    expect([head.status, head.text, ahead.status]).toEqual([200, '', 503]);
    expect(crawler.setCookies).toEqual([]);
    expect((await customer.get(link.path)).status).toBe(200);
  });

  it('that does not exist leads nowhere', async () => {
    const browser = openBrowser(world);

    const pages = [
      await browser.get(`/connect/${'a'.repeat(43)}`),
      await browser.get('/connect/session/acme'),
      await browser.get('/connect/session/01936b5e-0000-7000-8000-000000000000'),
      await browser.post('/connect/session/01936b5e-0000-7000-8000-000000000000/connect', { platform: 'sandbox' }),
    ];

    expect(pages.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  it('expires after fifteen minutes, opened or not', async () => {
    const [opened, unopened] = [await makeLink(world), await makeLink(world)];
    const browser = openBrowser(world);
    const page = await browser.get(opened.path);
    world.clock.advance(900_000);

    const pages = [
      await browser.get(unopened.path),
      await browser.get(opened.path),
      await browser.press(page, 'Sandbox'),
      await browser.press(page, 'Cancel'),
    ];

    expect(pages.map(({ status }) => status)).toEqual([410, 410, 410, 410]);
    expect(pages[0]?.text).toContain('fifteen minutes');
    expect(await opened.read()).toMatchObject({ status: 'expired', error: null });
  });

  it('keeps working when its key is revoked', async () => {
    const { id, secret } = await world.key();
    const link = await makeLink(world, { platform: 'sandbox' }, { key: secret });
    await world.sql('update api_keys set revoked_at = $2 where id = $1', [id, world.clock.now()]);
    const browser = openBrowser(world);

    await browser.press(await browser.get(link.path), 'Connect');

    expect(await link.read()).toMatchObject({ status: 'connected' });
  });

  it('fails when its profile is deleted meanwhile, and creates nothing', async () => {
    const link = await makeLink(world, { platform: 'sandbox' });
    const browser = openBrowser(world);
    const form = await browser.get(link.path);
    await world.sql('update profiles set deleted_at = $2 where id = $1', [link.profileId, world.clock.now()]);

    const end = await browser.press(form, 'Connect');

    expect(destination(end.location)[1]).toMatchObject({ error: 'connect_failed' });
    expect(await world.sql('select id from connections where profile_id = $1', [link.profileId])).toEqual([]);
  });
});

describe('the browser', () => {
  it('gets a cookie for these pages only, which ends with the session; the database does not hold it', async () => {
    const link = await makeLink(world);
    const browser = openBrowser(world);

    await browser.get(link.path);

    const attributes = 'Max-Age=900; Path=/connect; HttpOnly; SameSite=Lax';
    expect(browser.setCookies).toEqual([
      expect.stringMatching(new RegExp(`^connect-${link.sessionId}=[\\w-]{43}; ${attributes}$`)),
    ]);
    const rows = await world.sql('select * from connect_sessions where id = $1', [link.sessionId]);
    expect(JSON.stringify(rows)).not.toContain([...browser.cookies.values()][0]);
  });

  it('cannot continue with the cookie of another session, nor with an invented one', async () => {
    const [mine, theirs] = [await makeLink(world), await makeLink(world)];
    const [browser, other] = [openBrowser(world), openBrowser(world)];
    await browser.get(mine.path);
    await other.get(theirs.path);
    const [secret = ''] = browser.cookies.values();
    browser.cookies.set(`connect-${theirs.sessionId}`, secret);

    const page = await browser.post(`/connect/session/${theirs.sessionId}/cancel`, {});

    expect(page.status).toBe(404);
    expect(await theirs.read()).toMatchObject({ status: 'pending' });
  });

  it.each(['cross-site', 'same-site', 'none'])('cannot submit a form from another site (%s)', async (site) => {
    const link = await makeLink(world);
    const browser = openBrowser(world);
    await browser.get(link.path);
    const path = `/connect/session/${link.sessionId}/cancel`;

    const foreign = await browser.post(path, {}, { 'sec-fetch-site': site });
    const own = await browser.post(path, {}, { 'sec-fetch-site': 'same-origin' });

    expect([foreign.status, own.status]).toEqual([403, 303]);
  });
});
