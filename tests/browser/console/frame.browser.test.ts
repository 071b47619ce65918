/** The frame of the console in a real browser: navigation, palette, shortcuts, messages, and who uses it. */
import { describe, expect, it } from 'vitest';
import { LIVE_KEY } from '../../harness/world.ts';
import { PHONE } from '../page-checks.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView, expectNoViolation } from './view-checks.ts';

const stage = useConsole();

describe.skipIf(!HAS_BROWSER)('the frame', () => {
  it('goes to a view by the palette, with the keyboard alone', async () => {
    const { page } = await stage.visit('/');

    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox', { name: 'Find a view or an action' }).waitFor();
    await expectNoViolation(page, 'light', 'palette');
    await page.keyboard.type('pos');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Posts' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/posts');
  });

  it('goes to a view by two keys, lists them under ?, and switches them off', async () => {
    const { page } = await stage.visit('/');

    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: 'Posts' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Go to Compose').waitFor();
    await expectNoViolation(page, 'dark', 'shortcuts');
    await page.getByText('Shortcuts without Ctrl or Cmd').click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');

    await page.getByRole('dialog', { name: 'Go to a view or start an action' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
  });

  it('goes to a view by Enter on its link without loading the page again, and back once', async () => {
    const { page } = await stage.visit('/');
    const loads: string[] = [];
    page.on('request', (request) => request.isNavigationRequest() && loads.push(request.url()));

    await page.getByRole('link', { name: 'Posts' }).first().press('Enter');
    await page.getByRole('heading', { name: 'Posts' }).waitFor();
    await page.goBack();

    await page.getByRole('heading', { name: 'Today' }).waitFor();
    expect(loads).toEqual([]);
  });

  it('does nothing by single keys while a person types', async () => {
    const { page } = await stage.visit('/compose');

    await page.getByLabel('Text', { exact: true }).pressSequentially('g p ?');

    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('g p ?');
    expect(new URL(page.url()).pathname).toBe('/compose');
  });

  it('has a bar at the bottom and all views in a drawer on a phone', async () => {
    const { page } = await stage.visit('/', { size: PHONE });

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('dialog', { name: 'All views' }).getByRole('link', { name: 'Activity' }).waitFor();
    await expectNoViolation(page, 'light', 'drawer');
    await page.getByRole('dialog').getByRole('link', { name: 'Posts' }).click();

    await page.getByRole('heading', { name: 'Posts' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('skips to the content, and moves the focus there on the way to another view', async () => {
    const { page } = await stage.visit('/');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');

    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Posts' }).click();
    await page.getByRole('heading', { name: 'Posts' }).waitFor();

    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    expect(await page.title()).toBe('Posts - Carillon');
  });

  it('says where nothing is', async () => {
    const { page } = await stage.visit('/analytics/nothing');

    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await expectGoodView(page);
  });

  it('reads from right to left when the document does', async () => {
    const { page } = await stage.visit('/posts');
    await page.evaluate('document.documentElement.dir = "rtl"');

    const [content, navigation] = await Promise.all(
      [page.getByRole('main'), page.getByRole('navigation', { name: 'Console' })].map((part) => part.boundingBox()),
    );

    expect(navigation?.x).toBeGreaterThan(content?.x ?? 0);
    await expectGoodView(page);
  });
});

describe.skipIf(!HAS_BROWSER)('/design', () => {
  it('shows every component, each good in every scheme and size', async () => {
    const { page } = await stage.visit('/design');

    await page.locator('canvas').waitFor();
    await expectGoodView(page);
  });

  it('undoes what a message offers to undo', async () => {
    const { page } = await stage.visit('/design');

    await page.getByRole('button', { name: 'With undo' }).click();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();

    await page.getByText('Left as it was.').waitFor();
    await expectNoViolation(page, 'light', 'message');
  });
});

describe.skipIf(!HAS_BROWSER)('a visitor', () => {
  it('is offered the sign-in, which leads back to the view, or a key', async () => {
    const { page } = await stage.visit('/posts?status=failed', { isSignedIn: false });

    await expectNoViolation(page, 'light', 'entry');
    await expectNoViolation(page, 'dark', 'entry');
    expect(await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(
      '/sign-in?next=%2Fposts%3Fstatus%3Dfailed',
    );
  });

  it('opens the console with a key, which stays in the tab until it is forgotten', async () => {
    const { page } = await stage.visit('/', { isSignedIn: false, refusedAt: ['/trpc/connections.list'] });
    const open = page.getByRole('button', { name: 'Open the console' });
    await page.getByLabel('API key').fill(LIVE_KEY.replace(/.$/, '!'));
    await open.click();
    await page.getByRole('alert').getByText('The API key is missing, unknown or revoked.').waitFor();
    await page.getByLabel('API key').fill(LIVE_KEY);
    await open.click();
    await page.getByText(`Key ${LIVE_KEY.slice(0, 14)}…`).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await stage.write(['Seen with a key'], { scheduledFor: new Date(stage.world.clock.now().getTime() + 60_000) });

    await page.getByRole('button', { name: 'Forget key' }).click();

    await open.waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
    expect(await page.evaluate('JSON.stringify([sessionStorage, localStorage])')).not.toContain('crl_');
  });

  it('opens the console with a key that may not read connections', async () => {
    const body = { name: 'Reads posts', type: 'live', scopes: ['posts:read'] };
    const { id } = await stage.world.profile();
    const { secret } = (await stage.world.rest(`POST /profiles/${id}/keys`, { body })).body;
    const { page } = await stage.visit('/', { isSignedIn: false, refusedAt: ['/trpc/', '/api/v2/events'] });
    await page.getByLabel('API key').fill(secret);

    await page.getByRole('button', { name: 'Open the console' }).click();

    await page.getByText(`Key ${secret.slice(0, 14)}…`).waitFor();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('a sign-in that ends elsewhere', () => {
  it('leads to the entry and not to an endless list of failures', async () => {
    // Whatever the page reads after its sign-in has ended is refused.
    const { page } = await stage.visit('/', { refusedAt: ['/owner/'] });
    await page.getByRole('region', { name: 'Workers' }).getByText('Database').waitFor();

    await stage.world.sql('delete from sign_ins');

    await page.getByRole('link', { name: 'Posts' }).first().click();
    await page.getByLabel('API key').waitFor();
  });
});
