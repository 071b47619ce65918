/** Connections in a real browser. */
import { describe, expect, it } from 'vitest';
import { connectSandbox, storeBluesky } from '../../harness/connections.ts';
import { clickThrough } from '../customer.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole({ isAtPublicUrl: true });

async function accountId(): Promise<string> {
  const [row] = await stage.world.sql<{ id: string }>('select id from accounts order by id limit 1');
  return row?.id ?? '';
}

describe.skipIf(!HAS_BROWSER)('Connections', () => {
  it('connects an account over the page of customers, and comes back with the outcome', async () => {
    const { page } = await stage.visit('/connections');
    await page.getByRole('link', { name: 'Connect an account' }).first().click();
    await page.getByRole('heading', { name: 'Connect an account' }).waitFor();
    await expectGoodView(page);

    await clickThrough(page.getByRole('button', { name: 'Connect Sandbox' }));
    await clickThrough(page.getByRole('button', { name: 'Connect', exact: true }));

    await page.getByText('The account is connected.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/connections');
    await page.getByRole('link', { name: 'sandbox-2', exact: true }).waitFor();
    await expectGoodView(page);
    await page.getByRole('link', { name: 'Open the connection' }).click();
    await page.getByRole('heading', { name: 'sandbox-2' }).waitFor();
  });

  it('says that nothing was connected after Cancel, also with the keyboard alone', async () => {
    const { page } = await stage.visit('/connections/new');
    await page.getByRole('button', { name: 'Connect Sandbox' }).focus();
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);

    await clickThrough(page.getByRole('button', { name: 'Cancel' }));

    await page.getByText('Nothing was connected: it was cancelled.').waitFor();
  });

  it('says which settings a platform lacks, and where they come from', async () => {
    const { page } = await stage.visit('/connections/new');

    const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'LinkedIn' }) });

    await row.getByText('LINKEDIN_CLIENT_ID').waitFor();
    expect(await row.getByRole('link', { name: 'www.linkedin.com' }).getAttribute('href')).toBe(
      'https://www.linkedin.com/developers/apps',
    );
    expect(await row.getByRole('button').count()).toBe(0);
  });

  it('connects an account into a profile with a login that is typed', async () => {
    const profile = await stage.world.profile('Ada & Söhne');
    const { page } = await stage.visit(`/connections/new?profile=${profile.id}`);
    await page.getByRole('link', { name: 'Type a login of Sandbox' }).click();
    await page.getByLabel('Slug').fill('of-ada');
    await expectGoodView(page);

    await page.getByRole('button', { name: 'Connect', exact: true }).click();

    await page.getByRole('heading', { name: 'of-ada' }).waitFor();
    const { body } = await stage.world.rest(`GET /connections?profileId=${profile.id}`);
    expect(body.connections.map(({ slug }: { slug: string }) => slug)).toEqual(['of-ada']);
  });

  it('says why a login was refused', async () => {
    const refusedAt = ['/owner/trpc/connections.connect'];
    const { page } = await stage.visit('/connections/new?credentials=sandbox', { refusedAt });
    await page.getByLabel('Slug').fill('Not A Slug');

    await page.getByRole('button', { name: 'Connect', exact: true }).click();

    await page.getByRole('alert').getByText(/slug/).waitFor();
  });

  it.each([
    ['its row', '/connections?health=reconnect'],
    ['Today', '/'],
  ])('reconnects a dead login in one press from %s, and keeps the connection', async (_place, path) => {
    const [connection] = await stage.connect(1);
    const id = connection?.id ?? '';
    await stage.world.sql(
      `update connections set reconnect_since = $2, reconnect_reason = 'The platform ended the login.' where id = $1`,
      [id, stage.world.clock.now()],
    );
    const { page } = await stage.visit(path);
    await page.getByText('The platform ended the login.').waitFor();
    await expectGoodView(page);

    await clickThrough(page.getByRole('button', { name: `Reconnect ${connection?.slug}` }));
    await clickThrough(page.getByRole('button', { name: 'Connect', exact: true }));

    await page.getByText('The account is connected again.').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/connections/${id}`);
    const { body } = await stage.world.rest(`GET /connections/${id}`);
    expect(body.connection).toMatchObject({ id, slug: connection?.slug, reconnectRequired: null });
  });

  it('says until when a login works that the service cannot renew', async () => {
    const { id } = await storeBluesky(stage.world, await accountId(), { slug: 'ends-soon' });
    const end = new Date(stage.world.clock.now().getTime() + 3 * 86_400_000);
    await stage.world.sql('update connections set credential_ends_at = $2 where id = $1', [id, end]);

    const { page } = await stage.visit('/connections?health=ending');

    await page.getByText('The login works, and ends in 3 days.').waitFor();
    expect(
      await page
        .getByRole('list', { name: /^Connections/ })
        .getByRole('listitem')
        .count(),
    ).toBe(1);
  });

  it('renames, sets polish, moves and takes each back', async () => {
    const profile = await stage.world.profile('Grace');
    const [connection] = await stage.connect(1);
    const path = `GET /connections/${connection?.id}` as const;
    const read = async () => (await stage.world.rest(path)).body.connection;
    const { page } = await stage.visit(`/connections/${connection?.id}`);
    await page.getByLabel('Slug').fill('renamed');
    await page.getByText('Never, unless a post says yes').click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'renamed' }).waitFor();
    expect(await read()).toMatchObject({ slug: 'renamed', rewriteMode: 'off' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The settings are as before.').waitFor();
    expect(await read()).toMatchObject({ slug: connection?.slug, rewriteMode: 'inherit' });

    await page.getByRole('button', { name: /^To/ }).or(page.getByLabel('To')).first().click();
    await page.getByRole('option', { name: 'Grace' }).click();
    await page.getByRole('button', { name: 'Move' }).click();
    await page.getByText('The connection is moved.').waitFor();
    await page.getByRole('link', { name: 'Grace' }).waitFor();
    expect(await read()).toMatchObject({ profileId: profile.id });
    await expectGoodView(page);
  });

  it('shows in the fields what others change meanwhile, and does not write over it', async () => {
    const [connection] = await stage.connect(1);
    const { page } = await stage.visit(`/connections/${connection?.id}`);
    await page.getByLabel('Slug').fill('edited-here');
    const others = { description: 'Changed elsewhere' };
    await stage.world.rest(`PATCH /connections/${connection?.id}/settings`, { body: others });
    await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('Changed elsewhere');
    expect(await page.getByLabel('Slug').inputValue()).toBe('edited-here');

    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'edited-here' }).waitFor();
    await stage.world.rest(`PATCH /connections/${connection?.id}/settings`, { body: { rewriteMode: 'off' } });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The settings are as before.').waitFor();

    expect((await stage.world.rest(`GET /connections/${connection?.id}`)).body.connection).toMatchObject({
      slug: connection?.slug,
      description: 'Changed elsewhere',
      rewriteMode: 'off',
    });
  });

  it('disconnects after saying what is cancelled', async () => {
    const [connection] = await stage.connect(1);
    const later = { connectionSlugs: [connection?.slug], scheduledFor: '2026-11-25T09:00:00Z' };
    await stage.write(['Later'], later);
    // The connection of a customer with the same slug keeps its posts.
    const { id: profileId } = await stage.world.profile('Same slug');
    await connectSandbox(stage.world, { slug: String(connection?.slug), profileId });
    await stage.write(['Of a customer'], { ...later, profileId });
    const { page } = await stage.visit(`/connections/${connection?.id}`, {
      refusedAt: ['/owner/trpc/connections.get'],
    });

    await page.getByRole('button', { name: `Disconnect ${connection?.slug}` }).click();
    await page.getByRole('alertdialog').getByText('1 scheduled or queued post is cancelled.').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click();

    await page.getByRole('heading', { name: 'Connections' }).waitFor();
    const { posts } = (await stage.world.rest('GET /posts?status=scheduled')).body;
    expect(posts).toMatchObject([{ text: 'Of a customer' }]);
  });

  it('shows links that are open, and withdraws one', async () => {
    const profile = await stage.world.profile('Lin');
    const body = { redirectUrl: 'https://app.example/done', platform: 'sandbox' };
    const made = await stage.world.rest(`POST /profiles/${profile.id}/connect`, { body });
    const { page } = await stage.visit('/connections');
    await expectGoodView(page);

    await page.getByRole('button', { name: 'Withdraw the link for Sandbox, Lin' }).click();

    await page.getByText('The link is withdrawn.').waitFor();
    const read = await stage.world.rest(`GET /connect-sessions/${made.body.connectSessionId}`);
    expect(read.body.connectSession).toMatchObject({ status: 'failed', error: 'cancelled' });
    expect((await fetch(made.body.url)).status).toBe(410);
  });

  it('shows a connection that someone else makes', async () => {
    const { page } = await stage.visit('/connections');
    await page.getByRole('list', { name: /^Connections/ }).waitFor();

    const [connection] = await stage.connect(1);

    await page.getByRole('link', { name: connection?.slug ?? '', exact: true }).waitFor();
  });

  it('stays good with 200 connections, and finds one by words in its address', async () => {
    const made = await stage.connect(200);
    const { page } = await stage.visit('/connections');
    await page.getByRole('link', { name: made.at(-1)?.slug ?? '', exact: true }).waitFor();
    await page.getByLabel('Words').fill(`${made[100]?.slug} sandbox`);
    await page.getByText(/^1 of \d+ match\./).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe(`${made[100]?.slug} sandbox`);
    await page.goto(`${stage.world.url}/connections?profile=own`);
    await page.getByRole('link', { name: made.at(-1)?.slug ?? '', exact: true }).waitFor();
    await expectGoodView(page);
  }, 180_000);

  it('leaves compose good with 200 connections', async () => {
    const [last] = await stage.connect(1);
    const { page } = await stage.visit('/compose');

    await page.getByRole('checkbox', { name: last?.slug ?? '' }).waitFor({ state: 'attached' });
    await expectGoodView(page);
  }, 180_000);
});
