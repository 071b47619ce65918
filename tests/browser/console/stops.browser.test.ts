/** Stops in a real browser: one press stops everything, and another lets it go on. */
import { describe, expect, it } from 'vitest';
import { PHONE } from '../page-checks.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole();

const inAnHour = () => new Date(stage.world.clock.now().getTime() + 3_600_000).toISOString();
const schedule = async () => {
  const body = { text: 'Ding', connectionSlugs: [stage.world.sandboxSlug], scheduledFor: inAnHour() };
  return (await stage.world.rest('POST /posts', { body })).body.results[0].postId as string;
};
const statusOf = async (postId: string) => (await stage.world.rest(`GET /posts/${postId}`)).body.post.status;

describe.skipIf(!HAS_BROWSER)('Stops', () => {
  it('stops everything, says so on Today, and releases', async () => {
    const postId = await schedule();
    const { page } = await stage.visit('/stops');
    await page.getByText('Nothing is stopped.').waitFor();
    await page.getByLabel('Reason').fill('Somebody posts nonsense');
    await expectGoodView(page);
    await page.getByRole('button', { name: 'Stop now' }).press('Enter');
    await page.getByRole('heading', { name: 'Everything of the account is stopped' }).waitFor();
    await page.getByText('1 scheduled post is held').first().waitFor();
    await page.goto(new URL('/', page.url()).href);
    await page.getByRole('link', { name: 'Look and release' }).click();
    await page.getByText('Somebody posts nonsense').waitFor();
    await expectGoodView(page);
    expect((await stage.world.rest(`GET /posts/${postId}`)).body.post.stopId).not.toBeNull();

    await page.getByRole('button', { name: 'Release', exact: true }).click();

    await page.getByText('Nothing is stopped.').waitFor();
    expect((await stage.world.rest(`GET /posts/${postId}`)).body.post.stopId).toBeNull();
  });

  it('stops a key and cancels what it has scheduled, on a phone', async () => {
    const postId = await schedule();
    const { page } = await stage.visit('/stops', { size: PHONE });
    await page.getByRole('button', { name: /What/ }).click();
    await page.getByRole('option', { name: 'The key First live key' }).click();
    await page.getByRole('button', { name: 'Stop now' }).click();
    await page.getByRole('heading', { name: 'The key First live key is stopped' }).waitFor();
    await page.getByRole('button', { name: 'Release and cancel the held posts' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel them' }).click();

    await page.getByText('Nothing is stopped.').waitFor();
    expect(await statusOf(postId)).toBe('cancelled');
  });

  it('offers each key of an account that has many', async () => {
    const agent = await stage.world.key({});
    await stage.world.sql(
      `insert into api_keys (id, account_id, name, type, prefix, secret_hash, approval, created_at)
       select gen_random_uuid(), account_id, 'Key ' || n, type, prefix, lpad(n::text, 64, '0'), approval, created_at
       from api_keys, generate_series(1, 250) n where id = $1`,
      [agent.id],
    );
    const { page } = await stage.visit('/stops');

    await page.getByRole('button', { name: /What/ }).click();

    const offered = page.getByRole('option', { name: /^The key Key \d+$/ });
    await expect.poll(() => offered.count()).toBe(250);
  });

  it('says so when the key that it stops was revoked meanwhile', async () => {
    const agent = await stage.world.key({});
    await stage.world.sql(`update api_keys set name = 'Night porter' where id = $1`, [agent.id]);
    const body = { text: 'Ding', connectionSlugs: [stage.world.sandboxSlug], scheduledFor: inAnHour() };
    const { postId } = (await stage.world.rest('POST /posts', { key: agent.secret, body })).body.results[0];
    const { page } = await stage.visit('/stops');
    await page.getByRole('button', { name: /What/ }).click();
    await page.getByRole('option', { name: 'The key Night porter' }).click();
    await stage.world.rest(`DELETE /keys/${agent.id}`);
    // The list of keys is read again, and no longer has it.
    await page.getByRole('button', { name: /What/ }).click();
    await page.getByRole('option', { name: 'The key Night porter' }).waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Stop now' }).click();

    await page.getByText('Stopped. 1 scheduled post is held.').first().waitFor();
    const panel = page.getByRole('region', { name: 'The key Night porter is stopped' });
    await panel.getByText(/It was revoked/).waitFor();
    await expectGoodView(page);
    await panel.getByRole('button', { name: 'Release and cancel the held posts' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel them' }).click();
    await page.getByText('Nothing is stopped.').waitFor();
    expect(await statusOf(postId)).toBe('cancelled');
  });
});
