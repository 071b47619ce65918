/** Keys, agents and activity in a real browser. */
import { describe, expect, it } from 'vitest';
import { PASSWORD } from '../../harness/owner.ts';
import { tokensFor } from '../../oauth/agents.ts';
import { openBrowser } from '../../harness/browser.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole();

describe.skipIf(!HAS_BROWSER)('Keys', () => {
  it('makes a key of the account that is shown once, works within its scopes, and is revoked', async () => {
    const { page } = await stage.visit('/keys', { refusedAt: ['/owner/trpc/people.createKey'] });
    await page.getByLabel('Name of the key').fill('Reports');
    await page.getByText('Live', { exact: true }).click();
    await page.getByText('Only what I choose').click();
    await page.getByText('connections:read', { exact: true }).click();
    await page.getByLabel('Expires (optional)').fill('2030-01-01T09:00');
    await expectGoodView(page);
    await page.getByLabel('Password').fill('not it');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByRole('alert').getByText('The password is wrong.').waitFor();

    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Make the key' }).click();

    const key = await page.getByLabel('Key', { exact: true }).inputValue();
    expect((await stage.world.rest('GET /connections', { key })).status).toBe(200);
    expect((await stage.world.rest('GET /posts', { key })).status).toBe(403);
    const row = page.getByRole('list', { name: /^Keys/ }).getByRole('listitem').filter({ hasText: 'Reports' });
    await row.getByText('limited to connections:read').waitFor();
    await expectGoodView(page);
    await row.getByRole('button', { name: 'Revoke Reports' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await stage.world.rest('GET /connections', { key })).status).toBe(401);
    await page.getByText('Show revoked keys').click();
    await row.getByText('revoked', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?show=all');
  });

  it('makes a key of a profile without the password', async () => {
    await stage.world.profile('Grace');
    const { page } = await stage.visit('/keys');
    await page.getByLabel('Name of the key').fill('For Grace');
    await page.getByRole('button', { name: /Reaches/ }).click();
    await page.getByRole('option', { name: 'Only Grace' }).click();

    await page.getByRole('button', { name: 'Make the key' }).click();

    await page.getByLabel('Key', { exact: true }).waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'For Grace' });
    await row.getByRole('link', { name: 'Grace', exact: true }).waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('Agents', () => {
  it('shows what agents may do and how to connect one, and revokes', async () => {
    const { page } = await stage.visit('/agents');
    await page.getByText('No program may act for you').waitFor();
    await expectGoodView(page);
    const browser = openBrowser(stage.world);
    for (const { name, value } of await page.context().cookies()) browser.cookies.set(name, value);
    const person = { ownerId: '', accountId: '', browser };
    await tokensFor(stage.world, person);
    await page.reload();
    await page.getByText('Allowed by you').waitFor();
    await expectGoodView(page);

    await page.getByRole('button', { name: 'Revoke Agent' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();

    await page.getByText('No program may act for you').waitFor();
    expect(await page.getByRole('textbox', { name: 'MCP address' }).inputValue()).toMatch(/\/mcp$/);
  });

  it('shows the agents beyond the first page too, those that were used or allowed last first', async () => {
    await stage.world.sql(
      `insert into oauth_grants (id, account_id, owner_id, client_id, client_name, redirect_host, scopes, mode, created_at)
      select gen_random_uuid(), account_id, id, 'agent', 'Agent ' || each, 'agent.example', '{posts:read}', 'live',
        created_at + each * interval '1 s'
      from owners, generate_series(1, 205) each`,
    );
    const { page } = await stage.visit('/agents');
    const revokes = page.getByRole('button', { name: /^Revoke Agent/ });
    await page.getByRole('button', { name: 'Revoke Agent 205' }).waitFor();

    await revokes.last().scrollIntoViewIfNeeded();

    await page.getByRole('button', { name: 'Revoke Agent 1', exact: true }).waitFor();
    expect(await revokes.count()).toBe(205);
  });
});

describe.skipIf(!HAS_BROWSER)('Activity', () => {
  it('shows changes without end, filters by address, and links to what was changed', async () => {
    const [connection] = await stage.connect(1);
    for (let count = 0; count < 60; count += 1) await stage.world.rest('POST /profiles', { body: { name: 'Ada' } });
    await stage.world.rest('POST /profiles', { body: { name: '' } });
    const { page } = await stage.visit('/activity');
    await page.getByText('refused:').first().waitFor();
    await page.getByRole('listitem').nth(49).scrollIntoViewIfNeeded();
    await page.getByRole('listitem').nth(60).waitFor();
    await page.getByRole('link', { name: 'profiles.create' }).first().click();
    await page.waitForURL(/operation=profiles\.create/);
    await page.getByRole('button', { name: /Outcome/ }).click();
    await page.getByRole('option', { name: 'invalid_request' }).click();
    await page.waitForURL(/outcome=invalid_request/);
    await expectGoodView(page);

    await page.goto(`${stage.world.url}/activity?operation=connections.connect`);
    await page.getByRole('link', { name: connection?.id ?? '' }).click();

    await page.getByRole('heading', { name: connection?.slug ?? '' }).waitFor();
  });

  it('says that no change matches, and shows all again with the keyboard alone', async () => {
    const { page } = await stage.visit('/activity?operation=nothing.such');
    await page.getByText('No change matches').waitFor();
    await page.getByRole('link', { name: 'Show all activity' }).focus();
    await page.keyboard.press('Enter');

    await page.getByRole('list', { name: /^Changes/ }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });
});
