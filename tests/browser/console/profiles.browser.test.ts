/** Profiles in a real browser. */
import { describe, expect, it } from 'vitest';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole();

describe.skipIf(!HAS_BROWSER)('Profiles', () => {
  it('makes a profile with the keyboard alone, and finds it by its external id', async () => {
    const { page } = await stage.visit('/profiles');
    await page.getByText('No profiles yet').waitFor();
    await expectGoodView(page);
    await page.getByLabel('Name').focus();
    await page.keyboard.type('Ada & Söhne');
    await page.keyboard.press('Tab');
    await page.keyboard.type('customer-1');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Ada & Söhne' }).waitFor();
    await stage.world.rest('POST /profiles', { body: { name: 'Made elsewhere' } });
    await page.getByRole('link', { name: 'Made elsewhere' }).waitFor();

    await page.getByLabel('Find by external id').fill('customer-1');
    await page.keyboard.press('Enter');

    await page.getByRole('link', { name: 'Made elsewhere' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Ada & Söhne' }).waitFor();
    expect(new URL(page.url()).search).toBe('?externalId=customer-1');
    await expectGoodView(page);
  });

  it('lists more than one page', async () => {
    for (let index = 0; index < 60; index += 1) await stage.world.profile(`Customer ${index}`);
    const { page } = await stage.visit('/profiles');

    await page.getByRole('link', { name: 'Customer 59' }).waitFor();
    await page.getByRole('link', { name: 'Customer 10' }).scrollIntoViewIfNeeded();

    await page.getByRole('link', { name: 'Customer 0', exact: true }).waitFor();
    await expectGoodView(page);
  });

  it('mints a key that is shown once and works, and revokes it', async () => {
    const { id } = await stage.world.profile('Grace');
    const { page } = await stage.visit(`/profiles/${id}`);
    await page.getByLabel('Name of the key').fill('Grace’s program');
    await page.getByRole('button', { name: 'Mint' }).click();
    const key = await page.getByLabel('Key', { exact: true }).inputValue();
    expect((await stage.world.rest('GET /connections', { key })).status).toBe(200);
    await expectGoodView(page);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await page.getByLabel('Key', { exact: true }).count()).toBe(0);

    await page.getByRole('button', { name: 'Revoke Grace’s program' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();

    await page.getByText('No key works for this profile.').waitFor();
    expect((await stage.world.rest('GET /connections', { key })).status).toBe(401);
    await page.getByText('Show revoked keys').click();
    await page.getByText(/Revoked (just )?now/).waitFor();
  });

  it('mints one key when Enter is pressed again before the answer', async () => {
    const { id } = await stage.world.profile('Twice');
    const { page } = await stage.visit(`/profiles/${id}`);
    const held = Promise.withResolvers<void>();
    const calls: string[] = [];
    await page.route('**/keys.mint**', async (route) => {
      calls.push(route.request().url());
      await held.promise;
      await route.continue();
    });
    await page.getByLabel('Name of the key').fill('Once');
    await page.keyboard.press('Enter');
    const button = page.getByRole('button', { name: 'Mint' });
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');

    await page.keyboard.press('Enter');
    held.resolve();

    await page.getByLabel('Key', { exact: true }).waitFor();
    expect(calls).toHaveLength(1);
    const { keys } = (await stage.world.rest(`GET /profiles/${id}/keys`)).body;
    expect(keys).toHaveLength(1);
  });

  it('saves a brand voice, and brings the one before back', async () => {
    const { id } = await stage.world.profile('Vera');
    const voice = async () => (await stage.world.rest(`GET /profiles/${id}/voice`)).body.voice;
    const { page } = await stage.visit(`/profiles/${id}`);
    await page.getByLabel('Rules').fill('Be brief.\n\n  Say we. ');
    await page.getByRole('button', { name: 'Add an example' }).click();
    await page.getByRole('textbox', { name: 'Example 1' }).fill('One\ntwo.');
    await page.getByLabel('Banned phrases').fill('synergy');
    await expectGoodView(page);

    await page.getByRole('button', { name: 'Set the brand voice' }).click();

    await page.getByText('The brand voice is saved.').waitFor();
    expect(await voice()).toEqual({
      rules: ['Be brief.', 'Say we.'],
      examples: ['One\ntwo.'],
      bannedPhrases: ['synergy'],
    });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await voice()).rules).toEqual([]);
    await expect.poll(() => page.getByLabel('Rules').inputValue()).toBe('');
  });

  it('makes a link for the customer, copies it, and shows what the customer does', async () => {
    const { id } = await stage.world.profile('Lin');
    const { page } = await stage.visit(`/profiles/${id}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByLabel('Where the customer goes in the end').fill('https://app.example.com/done');
    await page.getByRole('button', { name: 'Make a link' }).click();
    await page.getByText('The customer has not finished.').waitFor();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copied.').waitFor();
    const link = await page.getByLabel('Link', { exact: true }).inputValue();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link);
    await expectGoodView(page);
    await page.reload();
    await page.getByText('The customer has not finished.').waitFor();
    expect(await page.getByLabel('Link', { exact: true }).count()).toBe(0);

    await stage.world.advance(16 * 60_000);

    await page.getByText('Its fifteen minutes are over.').waitFor();
  });

  it('shows in the fields what others change meanwhile, and does not write over it', async () => {
    const { id } = await stage.world.profile('Before');
    const { page } = await stage.visit(`/profiles/${id}`);
    await page.getByLabel('Name', { exact: true }).fill('After');
    await page.getByLabel('Banned phrases').fill('synergy');
    await stage.world.rest(`PATCH /profiles/${id}`, { body: { externalId: 'customer-7' } });
    const rules = { rules: ['Be brief.'], examples: ['Ding.'], bannedPhrases: [] };
    await stage.world.rest(`PUT /profiles/${id}/voice`, { body: rules });
    await expect.poll(() => page.getByRole('textbox', { name: /^External id/ }).inputValue()).toBe('customer-7');
    await expect.poll(() => page.getByLabel('Rules').inputValue()).toBe('Be brief.');

    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'After', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Set the brand voice' }).click();
    await page.getByText('The brand voice is saved.').waitFor();

    const { profile } = (await stage.world.rest(`GET /profiles/${id}`)).body;
    expect(profile).toMatchObject({ name: 'After', externalId: 'customer-7' });
    const { voice } = (await stage.world.rest(`GET /profiles/${id}/voice`)).body;
    expect(voice).toEqual({ ...rules, bannedPhrases: ['synergy'] });
  });

  it('renames, and deletes after naming what ends', async () => {
    const { id } = await stage.world.profile('Before');
    const { page } = await stage.visit(`/profiles/${id}`, { refusedAt: ['/owner/trpc/profiles.get'] });
    await page.getByLabel('Name', { exact: true }).fill('After');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'After', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Delete the profile' }).click();
    await page.getByRole('alertdialog').getByText('0 connections, and the posts that wait for them').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();

    await page.getByRole('heading', { name: 'Profiles' }).waitFor();
    expect((await stage.world.rest(`GET /profiles/${id}`)).status).toBe(404);
  });
});
