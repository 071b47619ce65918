/** Approvals in a real browser: the inbox, on a desktop and a phone. */
import { describe, expect, it } from 'vitest';
import { connectSandbox } from '../../harness/connections.ts';
import { PASSWORD } from '../../harness/owner.ts';
import { PHONE } from '../page-checks.ts';
import { resultsOf, textOf } from './compose-page.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole();

/** Asks for a post with a key that has to ask; gives its id. */
async function ask(key: string, text: string, fields: object = {}): Promise<string> {
  const body = { text, connectionSlugs: [stage.world.sandboxSlug], ...fields };
  return (await stage.world.rest('POST /posts', { key, body })).body.results[0].postId;
}

const postOf = async (postId: string) => (await stage.world.rest(`GET /posts/${postId}`)).body.post;

describe.skipIf(!HAS_BROWSER)('Approvals', () => {
  it('says how to get there when nothing waits, and shows what a new key asks for', async () => {
    const { page } = await stage.visit('/keys');
    await page.getByLabel('Name of the key').fill('Careful agent');
    await page.getByText('Live', { exact: true }).click();
    await page.getByText('Ask first').click();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = await page.getByLabel('Key', { exact: true }).inputValue();
    await page.getByRole('listitem').filter({ hasText: 'Careful agent' }).getByText('asks first').waitFor();
    await page.goto(new URL('/approvals', page.url()).href);
    await page.getByText('Nothing waits for you').waitFor();
    await expectGoodView(page);

    const postId = await ask(key, 'May I ring the bell?');

    // The page is told, and shows it without a reload.
    await page.getByText('May I ring the bell?').waitFor();
    await page.getByText('Careful agent').first().waitFor();
    await expectGoodView(page);
    await page.getByRole('button', { name: 'Approve' }).press('Enter');
    await page.getByText('The post is approved and sent.').waitFor();
    await page.getByText('Nothing waits for you').waitFor();
    expect(await postOf(postId)).toMatchObject({ status: 'sent', approval: { state: 'approved' } });
  });

  it('changes the text and approves it, on a phone', async () => {
    const { secret } = await stage.world.key({ approval: 'required' });
    const postId = await ask(secret, 'Ding dnog', {
      scheduledFor: new Date(stage.world.clock.now().getTime() + 3_600_000),
    });
    const { page } = await stage.visit('/', { size: PHONE });
    await page.getByRole('link', { name: '1 post' }).click();
    await page.getByRole('button', { name: 'Change the text' }).click();
    await page.getByLabel('Text').fill('Ding dong');
    await expectGoodView(page);
    await page.getByRole('button', { name: 'Approve the changed text' }).click();
    await page.getByText('The post is approved and scheduled.').waitFor();

    expect(await postOf(postId)).toMatchObject({ status: 'scheduled', text: 'Ding dong' });
  });

  it('edits the post in Compose, and sends it when it was asked for, under its id', async () => {
    const { secret } = await stage.world.key({ approval: 'required' });
    const tomorrow = new Date(stage.world.clock.now().getTime() + 24 * 3_600_000).toISOString();
    const postId = await ask(secret, 'Bim bma', { scheduledFor: tomorrow });
    const { page } = await stage.visit('/approvals');
    await page.getByRole('link', { name: 'Edit in Compose' }).click();
    await page.getByText('asked for this post, to go out').waitFor();
    await page.getByRole('radio', { name: 'At a time' }).and(page.locator(':checked')).waitFor();
    await textOf(page).fill('Bim bam');
    await expectGoodView(page);
    // Longer than Compose waits before it saves a draft.
    await page.waitForTimeout(4_000);
    await page.getByText('Kept in this browser.').waitFor();
    expect(await postOf(postId)).toMatchObject({ text: 'Bim bma', approval: { state: 'pending' } });

    await page.getByRole('button', { name: 'Schedule' }).click();

    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    expect(await textOf(page).inputValue()).toBe('');
    expect(await postOf(postId)).toMatchObject({
      status: 'scheduled',
      text: 'Bim bam',
      scheduledFor: tomorrow,
      approval: { state: 'approved' },
    });
  });

  it('shows in Compose that the time that was asked for has passed', async () => {
    const { secret } = await stage.world.key({ approval: 'required' });
    const soon = new Date(stage.world.clock.now().getTime() + 60_000).toISOString();
    const postId = await ask(secret, 'Bim, late', { scheduledFor: soon });
    await stage.world.advance(120_000);
    const { page } = await stage.visit(`/compose?draft=${postId}`);
    await page.getByText('That time has passed, so it goes out at once unless you choose another one.').waitFor();
    await page.getByRole('radio', { name: 'Now' }).and(page.locator(':checked')).waitFor();

    await page.getByRole('button', { name: 'Publish' }).click();

    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    expect(await postOf(postId)).toMatchObject({ status: 'sent', approval: { state: 'approved' } });
  });

  it('rejects with a reason, and shows what changed when the agent asks again', async () => {
    const { secret } = await stage.world.key({ approval: 'required' });
    const postId = await ask(secret, 'Meet us <b>there</b> on Friday');
    const { page } = await stage.visit('/approvals');
    await page.getByRole('button', { name: `Reject post ${postId}` }).click();
    await page.getByLabel('Reason').fill('Say where.');
    await expectGoodView(page);
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByText('The post is rejected.').waitFor();
    expect(await postOf(postId)).toMatchObject({
      status: 'draft',
      approval: { state: 'rejected', reason: 'Say where.' },
    });

    await stage.world.rest(`PATCH /posts/${postId}`, { key: secret, body: { text: 'Meet us <b>here</b> on Friday' } });
    await stage.world.rest(`POST /posts/${postId}/publish`, { key: secret, body: {} });

    // Shown without a reload; announcements of buttons that are gone go with the page.
    await page.getByText('What changed since the last request').waitFor();
    await page.reload();
    await page.getByText('What changed since the last request').click();
    await page.locator('del', { hasText: '<b>there</b>' }).waitFor();
    await page.locator('ins', { hasText: '<b>here</b>' }).waitFor();
    await expectGoodView(page);
    await stage.world.rest(`DELETE /posts/${postId}`);
  });

  it('keeps a reason that is being written when another person decides, until the page is left', async () => {
    const { secret } = await stage.world.key({ approval: 'required' });
    const [decided, other] = [await ask(secret, 'Decided elsewhere'), await ask(secret, 'Still waits')];
    const { page } = await stage.visit('/approvals');
    await page.getByRole('button', { name: `Reject post ${decided}` }).click();
    await page.getByLabel('Reason').fill('A long reason');
    await page.getByRole('button', { name: `Reject post ${other}` }).waitFor();

    for (const postId of [decided, other])
      await stage.world.rest(`POST /posts/${postId}/reject`, { body: { reason: 'No.' } });

    await page.getByText('This request was decided').waitFor();
    await page.getByRole('button', { name: `Reject post ${other}` }).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Reason').inputValue()).toBe('A long reason');
    await page.getByLabel('Reason').fill('');
    await page.getByText('Nothing waits for you').waitFor();
    for (const postId of [decided, other]) await stage.world.rest(`DELETE /posts/${postId}`);
  });

  it('lets the next ten posts of the same key go out today', async () => {
    const { secret } = await stage.world.key({ approval: 'required' });
    await ask(secret, 'The first of many');
    const { page } = await stage.visit('/approvals');
    await page.getByText('Also let the next 10 posts').click();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('The post is approved and sent.').waitFor();

    expect(await postOf(await ask(secret, 'The second'))).toMatchObject({ status: 'sent' });
  });

  it('names the account and the profile of each request, also of two with one slug', async () => {
    const { world } = stage;
    for (const name of ['Alpha', 'Beta']) {
      const { id: profileId } = await world.profile(name);
      const { id: connectionId } = await connectSandbox(world, { slug: 'news', profileId });
      const facts = [connectionId, `Account of ${name}`, name === 'Alpha' ? 'on' : 'off'];
      await world.sql('update connections set description = $2, rewrite_mode = $3 where id = $1', facts);
      const { secret } = await world.key({ profileId, approval: 'required' });
      await world.rest('POST /posts', { key: secret, body: { text: 'Ding', connectionSlugs: ['news'] } });
    }
    const { page } = await stage.visit('/approvals');

    for (const name of ['Alpha', 'Beta']) {
      await page.getByText(`Account of ${name}`).first().waitFor();
      await page.getByText(name, { exact: true }).waitFor();
    }
    await page.getByText('AI polish rewrites the text when it goes out.').waitFor();
  });
});
