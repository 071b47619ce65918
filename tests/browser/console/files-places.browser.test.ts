/** Exports, feeds and calendar addresses in a real browser. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readZip } from '../../harness/read-zip.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole({ isAtPublicUrl: true });

const slug = () => stage.world.sandboxSlug;

/** Serves a feed; null is an answer of 500. */
async function startFeed(items: readonly string[] | null) {
  const served = { items };
  const server = createServer((_request, response) => {
    if (served.items === null) return void response.writeHead(500).end();
    const date = new Date(stage.world.clock.now().getTime() + 1_000).toUTCString();
    const xml = served.items.map(
      (title) =>
        `<item><guid>${title}</guid><title>${title}</title><link>https://bells.example/${title}</link><pubDate>${date}</pubDate></item>`,
    );
    response.end(`<?xml version="1.0"?><rss version="2.0"><channel>${xml.join('')}</channel></rss>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.xml`;
  return { url, serve: (next: readonly string[] | null) => (served.items = next) };
}

describe.skipIf(!HAS_BROWSER)('Export', () => {
  it('downloads one kind, and everything as an archive', async () => {
    await stage.write(['Exported by a person']);
    const { page } = await stage.visit('/files/export');
    await expectGoodView(page);
    const save = async (name: string) => {
      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name }).press('Enter');
      const download = await waiting;
      return { name: download.suggestedFilename(), bytes: await buffer(await download.createReadStream()) };
    };

    const posts = await save('Download: Posts');
    await page.getByRole('radio', { name: /^JSON/ }).focus();
    await page.keyboard.press('Space');
    const archive = await save('Download the archive');

    expect([posts.name, archive.name]).toEqual(['carillon-posts.csv', 'carillon-archive.zip']);
    expect(posts.bytes.toString()).toContain('Exported by a person');
    expect(readZip(archive.bytes).get('posts.ndjson')?.toString()).toContain('Exported by a person');
  });

  it('says in words when an export is refused', async () => {
    const { page } = await stage.visit('/files/export', { refusedAt: ['/owner/exports/metrics'] });
    const refusal = { error: 'limit_exceeded', message: 'The account reads 2 exports at this time.' };
    await page.route('**/owner/exports/**', (route) => route.fulfill({ status: 409, json: refusal }));

    await page.getByRole('button', { name: 'Download: Metrics' }).click();

    await page.getByRole('alert').getByText('The account reads 2 exports at this time.').waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('Calendar addresses', () => {
  it('makes one with the keyboard, shows it once, renews and revokes it', async () => {
    await stage.connect(1);
    const { page } = await stage.visit('/files/calendars');
    await page.getByText('No calendar address yet').waitFor();
    await page.getByRole('button', { name: 'Make an address' }).waitFor();
    await expectGoodView(page);
    await page.getByRole('textbox', { name: /^Name/ }).focus();
    await page.keyboard.type('Our posts');
    await page.keyboard.press('Enter');
    const url = await page.getByLabel('Address', { exact: true }).inputValue();
    expect((await fetch(url)).status).toBe(200);
    const subscribe = page.getByRole('link', { name: 'Subscribe' });
    expect(await subscribe.getAttribute('href')).toBe(url.replace('http:', 'webcal:'));
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Copy');
    await expectGoodView(page);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await page.content()).not.toContain(url);

    await page.getByRole('button', { name: 'Renew the address of Our posts' }).press('Enter');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Renew' }).press('Enter');
    const renewed = await page.getByLabel('Address', { exact: true }).inputValue();
    expect(renewed).not.toBe(url);
    expect([(await fetch(url)).status, (await fetch(renewed)).status]).toEqual([404, 200]);
    await page.getByRole('button', { name: 'Revoke the address of Our posts' }).press('Enter');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).press('Enter');

    await page.getByText('No calendar address yet').waitFor();
    expect((await fetch(renewed)).status).toBe(404);
    expect(await page.content()).not.toContain(renewed);
  });

  it('makes one of a connection without free slots', async () => {
    const [connection] = await stage.connect(1);
    const { page } = await stage.visit('/files/calendars');
    await page.getByRole('radio', { name: 'One connection' }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: /Connection$/ }).click();
    await page.getByRole('option', { name: String(connection?.slug) }).click();
    await page.getByRole('checkbox', { name: 'Show the free slots' }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Make an address' }).press('Enter');

    await page.getByText(`Shows the posts of ${connection?.slug}, without free slots.`).waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('Feeds', () => {
  it('previews, adds, polls, pauses with undo, changes and deletes one', async () => {
    const feed = await startFeed(['Bronze']);
    const { page } = await stage.visit('/files/feeds');
    await page.getByText('No feed yet').waitFor();
    await page.getByRole('textbox', { name: 'Address of the feed' }).fill(feed.url);
    await page.getByRole('textbox', { name: 'Text of the posts' }).fill('New: {title}');
    await page.getByRole('checkbox', { name: `${slug()} Sandbox` }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Preview the newest item' }).press('Enter');
    await page.getByText('New: Bronze').waitFor();
    await page.getByText(/^.*: 11 of \d+ characters$/).waitFor();
    await expectGoodView(page);
    feed.serve(['Silver']);
    await page.getByRole('button', { name: 'Add the feed' }).press('Enter');
    await page.getByRole('button', { name: 'Poll now' }).waitFor();
    await stage.world.runDue();
    await page.getByRole('list', { name: 'Items, latest first' }).getByText('Silver').waitFor();
    // Announcements of buttons that are gone go with the page.
    await page.reload();
    await page.getByText('Silver').waitFor();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    await expectGoodView(page);

    await page.getByRole('button', { name: 'Pause' }).press('Enter');
    await page
      .getByRole('region', { name: 'Feed', exact: true })
      .getByText('A person or a program paused it.')
      .waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Poll now' }).press('Enter');
    await page.getByText('The feed is polled within a minute.').waitFor();
    await page.getByRole('textbox', { name: 'Text of the posts' }).fill('Changed: {title}');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('The feed is changed.').waitFor();
    const { feeds } = (await stage.world.rest('GET /feeds')).body;
    expect(feeds[0].template).toBe('Changed: {title}');
    await page.getByRole('link', { name: 'The post' }).press('Enter');
    await page.getByRole('main').getByText('New: Silver').first().waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Poll now' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();

    await page.getByText('No feed yet').waitFor();
  });

  it('hides a preview while the fields are not those that it was made with', async () => {
    const feed = await startFeed(['Bronze']);
    const { page } = await stage.visit('/files/feeds');
    const text = page.getByRole('textbox', { name: 'Text of the posts' });
    await page.getByRole('textbox', { name: 'Address of the feed' }).fill(feed.url);
    await text.fill('New: {title}');
    await page.getByRole('button', { name: 'Preview the newest item' }).press('Enter');
    await page.getByText('New: Bronze').waitFor();

    await text.fill('Newer: {title}');

    await page.getByText('New: Bronze').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Preview the newest item' }).press('Enter');
    await page.getByText('Newer: Bronze').waitFor();
  });

  it('shows in the fields what others change meanwhile, and does not write over it', async () => {
    const feed = await startFeed(['Bronze']);
    const body = { url: feed.url, connectionSlugs: [slug()] };
    const { id } = (await stage.world.rest('POST /feeds', { body })).body.feed;
    const { page } = await stage.visit(`/files/feeds?feed=${id}`);
    const text = page.getByRole('textbox', { name: 'Text of the posts' });
    await text.fill('Edited here: {title}');
    await stage.world.rest(`PATCH /feeds/${id}`, { body: { delivery: 'queue' } });
    await page.getByRole('radio', { name: /queue/i, checked: true }).waitFor({ state: 'attached' });
    expect(await text.inputValue()).toBe('Edited here: {title}');

    await page.getByRole('button', { name: 'Save' }).press('Enter');

    await page.getByText('The feed is changed.').waitFor();
    const { feed: stored } = (await stage.world.rest(`GET /feeds/${id}`)).body;
    expect(stored).toMatchObject({ template: 'Edited here: {title}', delivery: 'queue' });
    await stage.world.rest(`DELETE /feeds/${id}`);
  });

  it('keeps a connection that was disconnected, which can be left out', async () => {
    const feed = await startFeed(['Bronze']);
    const [gone] = await stage.connect(1);
    const connectionSlugs = [slug(), gone?.slug];
    const { id } = (await stage.world.rest('POST /feeds', { body: { url: feed.url, connectionSlugs } })).body.feed;
    await stage.world.rest(`DELETE /connections/${gone?.id}`);
    const read = async () => (await stage.world.rest(`GET /feeds/${id}`)).body.feed;
    const { page } = await stage.visit(`/files/feeds?feed=${id}`);
    const box = page.getByRole('checkbox', { name: `${gone?.slug} disconnected` });
    await box.waitFor();
    expect(await box.isChecked()).toBe(true);
    await expectGoodView(page);
    await page.getByRole('textbox', { name: 'Text of the posts' }).fill('Kept: {title}');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('The feed is changed.').waitFor();
    expect(await read()).toMatchObject({ connectionSlugs, template: 'Kept: {title}' });
    await page.reload();
    await box.focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Save' }).press('Enter');

    await page.getByText('The feed is changed.').waitFor();
    expect((await read()).connectionSlugs).toEqual([slug()]);
    await stage.world.rest(`DELETE /feeds/${id}`);
  });

  it('shows a connection that has moved to a profile, which can be left out', async () => {
    const feed = await startFeed(['Bronze']);
    const [moved] = await stage.connect(1);
    const profile = await stage.world.profile('Acme');
    const body = { url: feed.url, connectionSlugs: [slug(), moved?.slug] };
    const { id } = (await stage.world.rest('POST /feeds', { body })).body.feed;
    await stage.world.rest(`PATCH /connections/${moved?.id}`, { body: { profileId: profile.id } });
    const { page } = await stage.visit(`/files/feeds?feed=${id}`);
    const box = page.getByRole('checkbox', { name: `${moved?.slug} moved to Acme` });
    await box.waitFor();
    expect(await box.isChecked()).toBe(true);
    await expectGoodView(page);
    await box.focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Save' }).press('Enter');

    await page.getByText('The feed is changed.').waitFor();
    expect((await stage.world.rest(`GET /feeds/${id}`)).body.feed.connectionSlugs).toEqual([slug()]);
    await stage.world.rest(`DELETE /feeds/${id}`);
  });

  it('says in words why a feed cannot be read, and why it was disabled', async () => {
    const feed = await startFeed(null);
    const { page } = await stage.visit('/files/feeds');
    await page.getByRole('textbox', { name: 'Address of the feed' }).fill(feed.url);
    await page.getByRole('button', { name: 'Preview the newest item' }).click();
    await page.getByText(/The feed cannot be read: .* answered HTTP 500\./).waitFor();
    const body = { url: feed.url, connectionSlugs: [slug()] };
    const { id } = (await stage.world.rest('POST /feeds', { body })).body.feed;
    for (let halfDays = 0; halfDays < 11; halfDays += 1) await stage.world.advance(43_200_000);

    await page.clock.setFixedTime(stage.world.clock.now());
    await page.goto(`${stage.world.url}/files/feeds?feed=${id}`);

    const panel = page.getByRole('region', { name: 'Feed', exact: true });
    await panel.getByText('Every poll failed for three days.').waitFor();
    await panel.getByText('answered HTTP 500').waitFor();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    await expectGoodView(page);
    feed.serve(['Back']);
    await panel.getByRole('button', { name: 'Resume' }).click();
    await panel.getByRole('button', { name: 'Poll now' }).waitFor();
  });
});
