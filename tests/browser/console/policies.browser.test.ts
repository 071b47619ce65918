/** Policies in a real browser: rules are tried, saved and removed, and a key is stopped beside its name. */
import { describe, expect, it } from 'vitest';
import { PHONE } from '../page-checks.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole();

const post = (key: string, text: string) =>
  stage.world.rest('POST /posts', { key, body: { text, connectionSlugs: [stage.world.sandboxSlug] } });

describe.skipIf(!HAS_BROWSER)('Policies', () => {
  it('tries rules on recent posts, saves them and removes them', async () => {
    const agent = await stage.world.key({});
    await post(agent.secret, 'Get your refund');
    const { page } = await stage.visit(`/policies/${agent.id}`, { refusedAt: ['/owner/trpc/policies.get'] });
    await page.getByRole('heading', { name: 'Policy of A key' }).waitFor();
    await page.getByLabel('Posts in any 24 hours').fill('5');
    await page.getByLabel('From').fill('22:00');
    await page.getByLabel('To').fill('07:00');
    await page.getByLabel('Words').fill('refund\nfree');
    await page.getByText('Links', { exact: true }).click();
    await page.getByRole('button', { name: 'Try on recent posts' }).click();
    await page.getByText('Of its last 1 post, 1 would have been stopped.').waitFor();
    await page.getByText('It asks a person about the word "refund".').waitFor();
    await expectGoodView(page);

    await page.getByRole('button', { name: 'Save' }).click();

    await page.getByText('The policy is in force.').first().waitFor();
    const { body } = await stage.world.rest(`GET /policies/${agent.id}`);
    expect(body.policy.rules).toEqual({
      connectionIds: null,
      platforms: null,
      postsPerHour: null,
      postsPerDay: 5,
      quietHours: { from: '22:00', to: '07:00', timezone: expect.any(String) },
      spendCentsPerMonth: null,
      approvalAlways: false,
      approvalWords: ['refund', 'free'],
      approvalLinks: true,
      linkHosts: [],
    });
    await post(agent.secret, 'All free today');
    await page.goto(new URL('/approvals', page.url()).href);
    await page.getByText('It asks a person about the word "free".').waitFor();
    await page.goto(new URL('/policies', page.url()).href);
    await page.getByText('1 post in the last 24 hours').or(page.getByText('0 posts in the last 60')).first().waitFor();
    await expectGoodView(page);
    await page.getByRole('link', { name: 'A key' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The policy is removed.').first().waitFor();
    expect((await stage.world.rest(`GET /policies/${agent.id}`)).status).toBe(404);
  });

  it('hide the result of a trial once other rules are typed', async () => {
    const agent = await stage.world.key({});
    await post(agent.secret, 'Get your refund');
    const { page } = await stage.visit(`/policies/${agent.id}`, { refusedAt: ['/owner/trpc/policies.get'] });
    const words = page.getByLabel('Words');
    await words.fill('refund');
    await page.getByRole('button', { name: 'Try on recent posts' }).click();
    const result = page.getByText('Of its last 1 post, 1 would have been stopped.');
    await result.waitFor();

    await words.fill('free');

    await result.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Try on recent posts' }).click();
    await page.getByText('Of its last 1 post, 0 would have been stopped.').waitFor();
  });

  it('show what others change meanwhile, write nothing over it, and leave the focus where it is', async () => {
    const agent = await stage.world.key({});
    const { page } = await stage.visit(`/policies/${agent.id}`);
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByLabel('Posts in any 24 hours').fill('5');
    await save.press('Enter');
    await page.getByRole('button', { name: 'Remove', exact: true }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Save');
    await page.getByLabel('Posts in any 24 hours').fill('6');
    await stage.world.rest(`PUT /policies/${agent.id}`, { body: { postsPerDay: 5, approvalWords: ['refund'] } });
    await expect.poll(() => page.getByLabel('Words').inputValue()).toBe('refund');

    await save.press('Enter');

    const rules = async () => (await stage.world.rest(`GET /policies/${agent.id}`)).body.policy.rules;
    await expect.poll(rules).toMatchObject({ postsPerDay: 6, approvalWords: ['refund'] });
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Save');
  });

  it('keep a connection that was disconnected, which can be left out', async () => {
    const agent = await stage.world.key({});
    const [kept, gone] = await stage.connect(2);
    const connectionIds = [kept?.id, gone?.id];
    await stage.world.rest(`PUT /policies/${agent.id}`, { body: { connectionIds } });
    await stage.world.rest(`DELETE /connections/${gone?.id}`);
    const rules = async () => (await stage.world.rest(`GET /policies/${agent.id}`)).body.policy.rules;
    const { page } = await stage.visit(`/policies/${agent.id}`);
    const box = page.getByRole('checkbox', { name: `${gone?.slug} disconnected` });
    await box.waitFor();
    expect(await box.isChecked()).toBe(true);
    await expectGoodView(page);
    await page.getByLabel('Posts in any 24 hours').fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The policy is in force.').first().waitFor();
    expect(await rules()).toMatchObject({ connectionIds, postsPerDay: 5 });
    await page.reload();
    await box.focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Save' }).click();

    await box.waitFor({ state: 'detached' });
    expect(await rules()).toMatchObject({ connectionIds: [kept?.id], postsPerDay: 5 });
  });

  it('are reached from the list of keys, where one press stops a key and another undoes it, on a phone', async () => {
    const agent = await stage.world.key({});
    const { page } = await stage.visit('/keys', { size: PHONE });
    const row = page.locator(`#key-${agent.id}`);
    await row.getByRole('button', { name: 'Stop A key' }).click();
    await page.getByText('A key is stopped, and 0 scheduled posts are held.').first().waitFor();
    expect((await post(agent.secret, 'Ding')).body.results[0].error.code).toBe('stopped');

    await page.getByRole('button', { name: 'Undo' }).click();

    await page.getByText('A key may send again.').first().waitFor();
    expect((await post(agent.secret, 'Ding')).body.results[0].status).toBe('sent');
    await row.getByRole('link', { name: 'Policy of A key' }).click();
    await page.getByRole('heading', { name: 'Policy of A key' }).waitFor();
  });
});
