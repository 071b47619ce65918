/** Compose in a real browser: threads, comments, tags, variants, polish, slots, long and right-to-left texts, many connections. */
import { afterAll, describe, expect, it } from 'vitest';
import { storeDiscord } from '../../harness/connections.ts';
import { START } from '../../harness/test-clock.ts';
import { polished, startFakeModel } from '../../platforms/fakes/fake-model.ts';
import { PHONE } from '../page-checks.ts';
import { choose, resultsOf, textOf } from './compose-page.ts';
import { pressLabel } from '../press-label.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView, expectNoViolation } from './view-checks.ts';

const model = await startFakeModel({ now: () => START });
afterAll(() => model[Symbol.asyncDispose]());
// The clock of the install stands still, so its rate limit is never free again.
const stage = useConsole({
  env: { AI_BASE_URL: model.baseUrl, AI_MODEL: 'bell-1', RATE_LIMIT_PER_MINUTE: '10000' },
});

const read = async (word: string) => {
  const { posts } = (await stage.world.rest(`GET /posts?q=${word}`)).body;
  return Promise.all(
    posts.map(async ({ id }: { id: string }) => (await stage.world.rest(`GET /posts/${id}`)).body.post),
  );
};

/** A connection of a platform with which the service is not set up here. It can be written for, but not sent to. */
async function storeAs(platformId: string, slug: string): Promise<void> {
  const [account] = await stage.world.sql<{ id: string }>('select id from accounts');
  const { id } = await storeDiscord(stage.world, account?.id ?? '', slug);
  await stage.world.sql('update connections set platform_id = $2 where id = $1', [id, platformId]);
}

describe.skipIf(!HAS_BROWSER)('Compose', () => {
  it('sends a thread in its order, with tags', async () => {
    await stage.connect(2);
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('Head of the thread');
    await choose(page, 'bell-1');
    await page.getByRole('button', { name: 'Continue as a thread' }).click();
    await page.getByLabel('Reply 1', { exact: true }).fill('Second');
    await page.getByRole('button', { name: 'Add a reply' }).click();
    await page.getByLabel('Reply 2', { exact: true }).fill('First');
    await page.getByRole('button', { name: 'Move reply 2 up' }).click();
    await page.getByLabel('Tags').fill('News, autumn/2026');
    await page.getByRole('list', { name: 'Thread' }).getByText('5 of 500').waitFor();
    await expectGoodView(page);

    await page.getByRole('button', { name: 'Publish' }).click();

    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    expect(await read('thread')).toMatchObject([{ thread: ['First', 'Second'], tags: ['news', 'autumn/2026'] }]);
  });

  it('counts each reply beside it, also after an empty one', async () => {
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('Head');
    await choose(page, 'bell-1');
    await page.getByRole('button', { name: 'Continue as a thread' }).click();
    await page.getByRole('button', { name: 'Add a reply' }).click();

    await page.getByLabel('Reply 2', { exact: true }).fill('Second');

    const replies = page.getByRole('list', { name: 'Thread' }).getByRole('listitem');
    await replies.nth(1).getByText('6 of 500').waitFor();
    expect(await replies.nth(0).getByText('of 500').count()).toBe(0);
  });

  it('writes another text for a platform, and a first comment where there are any', async () => {
    await storeAs('facebook', 'page');
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('Shared words');
    await choose(page, 'bell-1', 'page');
    await page.getByRole('group', { name: 'Another text for one platform' }).getByText('Facebook').click();
    await page.getByLabel('Text for Facebook').fill('Own words');
    await page.getByRole('button', { name: 'Add a first comment' }).click();
    await page.getByLabel('First comment').fill('More below');
    await page.getByText('Goes to Facebook.').waitFor();
    await page.getByText('9 of 63,206').waitFor();
    await page.getByRole('region', { name: 'Preview' }).getByText('Platform').waitFor();
    await pressLabel(page.getByRole('radio', { name: 'Keep as a draft' }));
    await expectGoodView(page);

    await page.getByRole('button', { name: 'Keep the draft' }).click();

    await resultsOf(page).getByText('2 of 2 accepted').waitFor();
    const posts = await read('words');
    expect(posts.find(({ connectionSlug }) => connectionSlug === 'page')).toMatchObject({
      status: 'draft',
      text: 'Own words',
      firstComment: 'More below',
    });
    expect(posts.find(({ connectionSlug }) => connectionSlug === 'bell-1')).toMatchObject({
      status: 'draft',
      text: 'Shared words',
      firstComment: null,
    });
  });

  it('shows the polished text beside the own one, and takes it back', async () => {
    model.answer = ({ text }) => polished(text);
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('Helo world');
    await choose(page, 'bell-1');
    await page.getByRole('button', { name: 'Polish with AI' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('insertion').getByText('Polished').waitFor();
    await expectNoViolation(page, 'dark', 'dialog');

    await dialog.getByRole('button', { name: 'Use the polished text' }).click();

    expect(await textOf(page).inputValue()).toBe('Polished Helo world');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await textOf(page).inputValue()).toBe('Helo world');
  });

  it('sends nothing with Ctrl and Enter while a dialog is open, and sends with them beside a message', async () => {
    model.answer = ({ text }) => polished(text);
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('Behind the dialog');
    await choose(page, 'bell-1');
    await page.getByRole('button', { name: 'Polish with AI' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('insertion').getByText('Polished').waitFor();

    await page.keyboard.press('Control+Enter');
    await dialog.getByRole('button', { name: 'Use the polished text' }).click();
    await page.getByText('The polished text is in place.').waitFor();

    expect(await read('behind')).not.toContainEqual(expect.objectContaining({ status: 'sent' }));
    expect(await resultsOf(page).count()).toBe(0);
    await textOf(page).press('Control+Enter');
    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    expect(await read('behind')).toMatchObject([{ text: 'Polished Behind the dialog' }]);
  });

  it('offers several wordings to choose from, and says why one is missing', async () => {
    const answers = ['Hello world', 'See https://evil.example', 'Good day, world'];
    model.answer = ({ instructions }) => answers[Number(/this is number (\d)/.exec(instructions)?.[1]) - 1] ?? '';
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('Helo world');
    await choose(page, 'bell-1');
    await page.getByRole('button', { name: 'Polish with AI' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('One wording was dropped: The rewrite added a link.').waitFor();
    expect(await dialog.getByRole('radio').count()).toBe(2);
    await expectNoViolation(page, 'light', 'dialog');

    await pressLabel(dialog.getByRole('radio', { name: 'Wording 2' }));
    await dialog.getByRole('insertion').getByText('Good day,').waitFor();
    await dialog.getByRole('button', { name: 'Use the polished text' }).click();

    expect(await textOf(page).inputValue()).toBe('Good day, world');
  });

  it('names the slot before the post takes it', async () => {
    const [bell] = await stage.connect(1);
    const slots = [{ weekday: 1, time: '09:00' }];
    await stage.world.rest(`PATCH /connections/${bell?.id}/queue`, { body: { slots, timezone: 'Asia/Tokyo' } });
    const { page } = await stage.visit(`/compose?queue=yes&slug=${bell?.slug}&text=Queued`);
    const slot = page.getByRole('list', { name: 'Slots' }).getByText(`${bell?.slug}`);
    await slot.waitFor();
    await page.getByRole('list', { name: 'Slots' }).getByText('09:00 in Asia/Tokyo').waitFor();
    const named = await page.getByRole('list', { name: 'Slots' }).locator('time').getAttribute('datetime');

    await page.getByRole('button', { name: 'Add to the queue' }).click();

    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    expect(await read('Queued')).toMatchObject([{ status: 'scheduled', scheduledFor: named }]);
  });

  it('shows a time on the clocks of the connection too', async () => {
    const { page } = await stage.visit('/compose?slug=bell-3&time=2026-11-24T09:00:00Z');
    await page.getByText(/^That is .*2026-11-24 18:00 in Asia\/Tokyo/).waitFor();
  });

  it('takes a very long text and one from right to left, on a phone', async () => {
    const { page } = await stage.visit('/compose', { size: PHONE });
    await choose(page, 'bell-1');
    await textOf(page).fill(`${'שלום עולם '.repeat(2_000)}${'x'.repeat(5_000)}`);

    await page.getByText('25,000 of 500').waitFor();

    expect(await page.evaluate<string>(`getComputedStyle(document.querySelector('textarea')).direction`)).toBe('rtl');
    await expectGoodView(page);
  });

  it('stays usable with 200 connections', async () => {
    // Their ids are older than those of the bells and in order, because the newest of a list always show.
    await stage.world.sql(
      `insert into connections (id, account_id, platform_id, slug, description, timezone, queue_slots, platform_account_id,
         handle, credentials, created_at)
       select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, account_id, platform_id, 'many-' || n,
         'Channel ' || n, timezone, queue_slots, platform_account_id || n, handle, credentials, created_at
       from connections c cross join generate_series(1, 200) as n where c.slug = 'bell-1'`,
    );
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('To many');
    expect(await page.getByRole('checkbox').count()).toBeLessThan(40);
    await page.getByLabel('Search the connections').fill('channel 137');
    await choose(page, 'many-137');
    await page.getByLabel('Search the connections').fill('');
    await page.getByRole('button', { name: 'All of Sandbox' }).click();
    await page.getByText('7 of 500').waitFor();
    await page.getByText(/^20\d connections$/).waitFor();

    await page.getByRole('button', { name: 'None of Sandbox' }).click();

    await page.getByRole('checkbox', { name: 'many-137' }).waitFor({ state: 'detached' });
    await expectGoodView(page);
  });
});
