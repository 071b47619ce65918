/** The account in a real browser: usage, people, settings and the own sign-in; and what each role is offered. */
import type { Page } from 'playwright-core';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Role } from '../../../entities/owner.ts';
import { EMAIL, PASSWORD } from '../../harness/owner.ts';
import { type ConsolePerson, personOf } from '../../oauth/people.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole();

/** Opens a view as a person of that role. */
async function visitAs(role: Role, path: string): Promise<{ page: Page; person: ConsolePerson }> {
  const person = await personOf(stage.world, role);
  const { page } = await stage.visit('/', { isSignedIn: false });
  const { url } = stage.world;
  await page.context().addCookies([...person.browser.cookies].map(([name, value]) => ({ name, value, url })));
  await page.goto(url + path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return { page, person };
}

/** A queue with two posts, and the path of its view. */
async function queueOfTwo() {
  const [connection] = await stage.connect(1);
  const slots = [1, 2].map((weekday) => ({ weekday, time: '09:00' }));
  await stage.world.rest(`PATCH /connections/${connection?.id}/queue`, { body: { slots } });
  const body = { connectionSlugs: [connection?.slug], queue: true };
  await stage.write(['First in the queue', 'Second in the queue'], body);
  const texts = async () => {
    const { queue } = (await stage.world.rest(`GET /connections/${connection?.id}/queue`)).body;
    return queue.map(({ text }: { text: string }) => text);
  };
  return { path: `/queues?connection=${connection?.id}`, texts };
}

describe.skipIf(!HAS_BROWSER)('Account', () => {
  it('shows usage and settings, and saves settings with undo', async () => {
    const { page } = await stage.visit('/account');
    await page.getByRole('meter', { name: 'Storage of images' }).waitFor();
    await page.getByText('You are the only owner.').waitFor();
    await expectGoodView(page);

    await page.getByLabel('Most X fees a month, in dollars').fill('12.5');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('The settings are saved.').waitFor();
    const cap = async () => (await stage.world.rest('GET /account')).body.account.xSpendCapCents;
    expect(await cap()).toBe(1_250);
    await page.getByRole('meter', { name: 'X fees this month' }).waitFor();

    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('meter', { name: 'X fees this month' }).waitFor({ state: 'detached' });
    expect(await cap()).toBe(null);
  });

  it('saves only the settings that were changed here, over those that others changed meanwhile', async () => {
    const { page } = await stage.visit('/account');
    const cap = page.getByLabel('Most X fees a month, in dollars');
    await page.getByText('Read the metrics of X posts, which costs a fee').click();
    await stage.world.rest('PATCH /account', { body: { xSpendCapCents: 700 } });
    await expect.poll(() => cap.inputValue()).toBe('7.00');

    await page.getByRole('button', { name: 'Save settings' }).click();

    await page.getByText('The settings are saved.').waitFor();
    const read = async () => (await stage.world.rest('GET /account')).body.account;
    expect(await read()).toMatchObject({ xAnalytics: true, xSpendCapCents: 700 });
    await stage.world.rest('PATCH /account', { body: { xSpendCapCents: 800 } });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await read()).xAnalytics).toBe(false);
    expect((await read()).xSpendCapCents).toBe(800);
    await stage.world.rest('PATCH /account', { body: { xSpendCapCents: null } });
  });

  it('invites with the keyboard alone, shows the link once, and lists the person who joins', async () => {
    const { page } = await stage.visit('/account');
    await page.getByRole('textbox', { name: 'Email' }).focus();
    await page.keyboard.type('ada@bells.example');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    const link = await page.getByLabel('Link', { exact: true }).inputValue();
    await page.getByText('Open invitations').waitFor();
    await expectGoodView(page);
    await page.getByRole('button', { name: 'I have passed it on' }).click();
    expect(await page.getByLabel('Link', { exact: true }).count()).toBe(0);

    const guest = (await stage.visit('/', { isSignedIn: false })).page;
    await guest.goto(stage.world.url + new URL(link).pathname);
    await guest.getByText('You are invited as viewer.').waitFor();
    await guest.getByLabel('Password').fill('six bells in the dog watch');
    await guest.getByRole('button', { name: 'Join' }).click();
    await guest.getByText('Your role: viewer').waitFor();

    // The owner sees it without a reload.
    await page.getByRole('button', { name: 'Remove ada@bells.example' }).waitFor();
    expect(await page.getByText('Open invitations').count()).toBe(0);
    await expectGoodView(page);
  });

  it('withdraws an invitation', async () => {
    const { page } = await stage.visit('/account');
    await page.getByRole('textbox', { name: 'Email' }).fill('late@bells.example');
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Invite' }).click();

    await page.getByRole('button', { name: 'Withdraw the invitation of late@bells.example' }).click();

    await page.getByText('The invitation of late@bells.example is withdrawn.').waitFor();
    await page.getByText('Open invitations').waitFor({ state: 'detached' });
  });

  it('says what is wrong when the password or the address does not fit', async () => {
    const { page } = await stage.visit('/account', { refusedAt: ['/owner/trpc/people.invite'] });
    await page.getByRole('textbox', { name: 'Email' }).fill(EMAIL);
    await page.getByLabel('Your password').fill('wrong');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('The password is wrong. Nothing was changed.').waitFor();

    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Invite' }).click();

    await page.getByText(`${EMAIL} already signs in to this account.`).waitFor();
    await expectGoodView(page);
  });

  it('changes a role, which the person sees at once, and removes the person', async () => {
    const { page: theirs, person } = await visitAs('editor', '/account');
    await theirs.getByRole('link', { name: 'Compose' }).first().waitFor();
    const { page } = await stage.visit('/account');
    await page.getByRole('button', { name: `Change role of ${person.email}` }).click();
    await page
      .getByRole('dialog')
      .getByText(/^Viewer/)
      .click();
    await page.getByRole('dialog').getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();

    await page.getByText(`${person.email} is viewer now.`).waitFor();
    await theirs.getByRole('link', { name: 'Compose' }).first().waitFor({ state: 'detached' });

    // An open page would report the stream that ends with the sign-in.
    await theirs.goto('about:blank');
    await page.getByRole('button', { name: `Remove ${person.email}` }).click();
    await page.getByRole('alertdialog').getByText('account keys').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText(`${person.email} has no access anymore.`).waitFor();
    expect((await person.call('people.session')).status).toBe(401);
  });

  it('changes the own password and signs other browsers out', async () => {
    const { page, person } = await visitAs('viewer', '/account');
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('a new one for the bells');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password is changed.').waitFor();

    await expect.poll(() => page.getByText('This browser.').count()).toBe(1);
    await page.getByRole('button', { name: 'Leave this account' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await person.call('people.session')).status).toBe(401);
  });
});

describe.skipIf(!HAS_BROWSER)('A viewer', () => {
  it('sees the account, and is offered nothing that the service would refuse', async () => {
    const { page } = await visitAs('viewer', '/account');
    await page.getByText(EMAIL).first().waitFor();
    await page.getByText('Your role, viewer, does not allow this. Ask an owner of the account.').first().waitFor();

    for (const name of ['Invite', 'Save settings']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    expect(await page.getByRole('button', { name: /^(Remove|Change role of) / }).count()).toBe(0);
    for (const name of ['Compose', 'Keys']) expect(await page.getByRole('link', { name, exact: true }).count()).toBe(0);
    await expectGoodView(page);
  });

  it.each([
    ['/', /^(Write a post|Schedule a post)$/],
    ['/posts', /^Write a post$/],
    ['/connections', /^Connect an account$/],
    ['/queues', /^(Write|Add slots)/],
    ['/calendar', /^Write a post/],
    ['/media', /^Upload/],
    ['/compose', /^(Publish|Send|Schedule)/],
    ['/profiles', /^Make$/],
    ['/webhooks', /^Register$/],
    ['/files', /^(Choose a file|Check the file)$/],
    ['/files/feeds', /^(Add the feed|Preview)/],
    ['/files/calendars', /^Make an address$/],
  ])('finds nothing to change on %s', async (path, name) => {
    const { page } = await visitAs('viewer', path);
    await page.getByText('Loading').waitFor({ state: 'detached' });

    expect(await page.getByRole('main').getByRole('button', { name }).count()).toBe(0);
    expect(await page.getByRole('main').getByRole('link', { name }).count()).toBe(0);
  });
});

describe.skipIf(!HAS_BROWSER)('A viewer of files and feeds', () => {
  it('reads imports, feeds and calendar addresses without their buttons, and downloads exports', async () => {
    const feed = { url: 'http://127.0.0.1:9/feed.xml', connectionSlugs: [stage.world.sandboxSlug] };
    const { id } = (await stage.world.rest('POST /feeds', { body: feed })).body.feed;
    await stage.world.rest('POST /calendars', { body: { name: 'Our posts' } });
    const file = { format: 'json', content: '[{"text":"One"}]', dryRun: true, name: 'one.json' };
    const check = (await stage.world.rest('POST /imports', { body: file })).body.import;
    const { page } = await visitAs('viewer', `/files/feeds?feed=${id}`);
    const buttons = /^(Poll now|Pause|Delete|Save|Renew|Revoke|Import|Cancel)/;
    const expectNone = async () => {
      expect(await page.getByRole('main').getByRole('button', { name: buttons }).count()).toBe(0);
    };
    await page.getByRole('region', { name: 'Feed', exact: true }).getByText(feed.url).waitFor();
    await expectNone();
    await page.getByRole('link', { name: 'Calendar addresses' }).click();
    await page.getByText('Shows all posts of the account, with free slots.').waitFor();
    await expectNone();
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByRole('link', { name: 'Check of one.json' }).click();
    await page.getByRole('heading', { name: 'Check of one.json' }).waitFor();
    await expectNone();
    expect(page.url()).toContain(check.id);
    await page.getByRole('link', { name: 'Export' }).click();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download: Activity' }).click(),
    ]);

    expect(download.suggestedFilename()).toBe('carillon-audit.csv');
    expect((await buffer(await download.createReadStream())).toString()).toContain('feeds.create');
  });
});

describe.skipIf(!HAS_BROWSER)('The order of a queue', () => {
  it('is shown to a viewer, who is offered no way to change it', async () => {
    const { path } = await queueOfTwo();
    const { page } = await visitAs('viewer', path);
    const slots = page.getByRole('region', { name: 'Coming slots' });
    await slots.getByText('Second in the queue').waitFor();

    expect(await slots.getByRole('button', { name: /^Move/ }).count()).toBe(0);
    expect(await slots.locator('[draggable=true]').count()).toBe(0);
  });

  it('is changed by an editor', async () => {
    const { path, texts } = await queueOfTwo();
    const { page } = await visitAs('editor', path);

    await page.getByRole('button', { name: 'Move First in the queue down' }).click();

    await page.getByText('The order of the queue is changed.').waitFor();
    expect(await texts()).toEqual(['Second in the queue', 'First in the queue']);
  });
});

describe.skipIf(!HAS_BROWSER)('An editor', () => {
  it('writes posts, and is told that owners manage the rest', async () => {
    const { page } = await visitAs('editor', '/posts');
    await page.getByRole('main').getByRole('link', { name: 'Write a post' }).first().waitFor();

    await page.goto(`${stage.world.url}/connections`);
    await page.getByText('Your role, editor, does not allow this. Ask an owner of the account.').first().waitFor();

    expect(await page.getByRole('link', { name: 'Connect an account' }).count()).toBe(0);
  });
});
